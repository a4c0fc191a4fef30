"""Invocations of the operators of the library in their samples, for exports of one operator each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.skriptnd.names import format_modules, library_modules
from snd_analysis.workspace import Snapshot
from snd_runtime.execution.plain import PlainValue, plain
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_runtime.samples.evaluation import arguments_of
from support.sampling import sample


def invocations_of_samples(
    snapshot: Snapshot, modules: Iterable[str] = ()
) -> Iterator[tuple[str, Specialization, list[Argument]]]:
    """Yield the invocations in samples of modules, all unless some are named, by operator."""
    for module in modules or (*library_modules(), *format_modules()):
        for _, checked in sample(snapshot.checked_samples(f"snd:{module}"), 7):
            operation = checked.operation
            callee = None if operation is None else specialization_of(operation)
            broken = checked.has_errors or checked.failure is not None or checked.sample.error is not None
            if operation is None or callee is None or broken or not callee.valid:
                continue
            specialization, inputs = arguments_of(checked, operation, Limits(), FLOAT32, 0)
            yield f"{module}.{specialization.template.name.name}", specialization, inputs


def variations(
    invocations: Iterable[tuple[str, Specialization, list[Argument]]],
) -> Iterator[tuple[str, Specialization, list[Argument], str, PlainValue]]:
    """Yield invocations with another value of one attribute, and that."""
    for name, specialization, inputs in invocations:
        types = {each.name: each.node.type.text for each in specialization.template.attributes}
        for attribute, value in specialization.attributes.items():
            for other in _others(plain(value), types[attribute]):
                yield name, specialization, inputs, attribute, other


def _others(value: PlainValue, dtype: str) -> list[PlainValue]:
    match value:
        case tuple() | list():
            items = list(value)
            varied = [
                [*items[:at], other, *items[at + 1 :]]
                for at in range(len(items))
                for other in _others(items[at], dtype)
            ]
            return [*map(tuple, varied), tuple(reversed(items))]
        case bool():
            return [not value]
    known: dict[str, list[PlainValue]] = {
        "int": [-2, -1, 0, 1, 2],
        "real": [-1.0, 0.0, 0.5, 2.5],
        "bool": [False, True],
    }
    return [each for each in known.get(dtype, []) if each != value]


def agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two tensors are equal but for rounding."""
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    return np.allclose(one, other, rtol=2e-4, atol=2e-5, equal_nan=True)
