"""Failures of composing during a run, and results that differ from their declarations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snd_analysis.compose import Failure, Site, Specialization
from snd_analysis.model import Tensor, item_of_empty
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import EXTENT_BOUND, UNKNOWN_VALUE


def raise_failure(failures: Sequence[Failure]) -> None:
    """Raise EvaluationFailed for the first failure of composing, if there is one."""
    if failures:
        raise failed(failures[0])


def failed(failure: Failure) -> EvaluationFailed:
    """Return a failure of composing as a failure of the run: at the innermost place, with the chain of invocations."""
    if failure.sites:
        return EvaluationFailed(
            failure.rule, failure.message, failure.sites[0].place, failure.sites[1:], failure.related
        )
    place = failure.related[0].place if failure.related else None
    return EvaluationFailed(failure.rule, failure.message, place, (), failure.related)


def check_empty_packs(specialization: Specialization) -> None:
    """Raise EvaluationFailed if an extent of an output is that of the tensors of a pack which has none."""
    template, targets = specialization.template, specialization.template.resolution.targets
    for member, value in zip(template.inputs, specialization.inputs, strict=False):
        if not isinstance(value, Pack) or value.segments or item_of_empty(value) is not UNDEFINED:
            continue
        declared = {targets.get(node) for node in nodes.descendants(member.node)}
        unknown = [
            symbol for symbol, known in specialization.scope.values.items() if known is NULL and symbol in declared
        ]
        for symbol in unknown:
            if any(
                targets.get(node) is symbol for output in template.outputs for node in nodes.descendants(output.node)
            ):
                message = f"the pack '{member.name}' is empty, so nothing tells what '{symbol.name}' is"
                raise EvaluationFailed(UNKNOWN_VALUE, message, template.declared(member.symbol))


def check_bounds(name: str, declared: Value, value: Argument) -> None:
    """Raise EvaluationFailed if an extent exceeds its declared bound (2.6.1)."""
    if isinstance(declared, Pack):
        for at, (one, item) in enumerate(zip(declared.items or (), value or (), strict=False)):
            check_bounds(f"{name}[{at}]", one, item)
        return
    if not isinstance(declared, Tensor) or not isinstance(value, np.ndarray) or declared.shape is None:
        return
    for at, extent in enumerate(declared.shape):
        most = shapes.bounds(extent)[1] if isinstance(extent, Integer) else None
        if most is not None and at < value.ndim and value.shape[at] > most:
            message = f"dimension {at} of '{name}' may have an extent of {most} at most, but it has {value.shape[at]}"
            raise EvaluationFailed(EXTENT_BOUND, message, declared.place)


def failure_of(stopped: EvaluationFailed) -> Failure:
    """Return why an evaluation stopped, at the innermost place that is not in the library."""
    outside = stopped.outside_of_library()
    sites = () if outside.place is None else (Site(outside.place, ""), *outside.chain)
    return Failure(outside.rule, outside.message, sites, outside.related)
