"""Weights and variables held against each other by name, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from snd_analysis.compose import Specialization, specializations_below, variables_below
from snd_analysis.model import Graph, Loop, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.values import Pack


class WeightUse(Struct, frozen=True):
    """Weights and variables by scoped name, each in order; tensors of packs are ``NAME[0]``."""

    loaded: tuple[str, ...] = ()
    """Variables that have a weight."""
    drawn: tuple[str, ...] = ()
    """Variables without a weight: a run draws them at random."""
    unused: tuple[str, ...] = ()
    """Weights that no variable takes."""


def weight_use(specializations: Iterable[Specialization], given: Collection[str]) -> WeightUse:
    """Return the use of the weights ``given`` in the first specialization.

    A variable of another one of the specializations uses a weight, too: sizes may decide between branches. A variable
    that nothing reads, such as the bias of ``layer.linear{use_bias=false}``, may have a weight and needs none.
    """
    first, *others = specializations
    found = [*_variable_weights(first, given)]
    loaded = {each.name for each in found if each.has_weight}
    used = {name for name in loaded if name in given}
    for other in others if len(used) < len(given) else ():
        used.update(each.name for each in _variable_weights(other, given) if each.has_weight)
    drawn = {each.name for each in found if each.is_read} - loaded
    return WeightUse(tuple(sorted(loaded)), tuple(sorted(drawn)), tuple(sorted({*given} - used)))


def variable_tensors(specialization: Specialization) -> dict[str, Tensor]:
    """Return the declared tensors of all variables, by the names of their weights."""
    found: dict[str, Tensor] = {}
    for name, declared in variables_below(specialization):
        for each, tensor in _named(name, declared):
            found.setdefault(each, tensor)
    return found


class _VariableWeight(Struct, frozen=True):
    """A variable, or a tensor of a pack of variables."""

    name: str
    has_weight: bool
    is_read: bool


def _variable_weights(specialization: Specialization, given: Collection[str]) -> Iterator[_VariableWeight]:
    reads: dict[int, set[Tensor] | None] = {}
    for scope, callee in specializations_below(specialization, lambda each: each.variables):
        if id(callee) not in reads:
            reads[id(callee)] = None if callee.body is None else {*_read(callee.body)}
        read = reads[id(callee)]
        for own, declared in callee.variables.items():
            name = f"{scope}.{own}" if scope else own
            is_read = read is None or any(tensor in read for tensor in tensors_of(declared))
            if name in given:
                yield _VariableWeight(name, True, is_read)
                continue
            known = {each: each in given for each, _ in _named(name, declared)}
            if not known:  # the length of the pack depends on data
                known = dict.fromkeys(filter(re.compile(rf"{re.escape(name)}\[\d+\]").fullmatch, given), True)
            yield from (_VariableWeight(each, has_weight, is_read) for each, has_weight in known.items())


def _named(name: str, declared: TensorValue) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of a variable with the names that their weights have."""
    if isinstance(declared, Tensor):
        yield name, declared
    elif isinstance(declared, Pack):
        for at, item in enumerate(declared.items or ()):
            if isinstance(item, Tensor):
                yield f"{name}[{at}]", item


def _read(graph: Graph) -> Iterator[Tensor]:
    """Yield the tensors that a graph reads or gives on."""
    values = [*graph.outputs.values(), *graph.updates.values()]
    for operation in (*graph.operations, *graph.update_operations):
        values += operation.inputs
        control = operation.control
        if isinstance(control, Loop):
            values += [each.source for each in (*control.carried, *control.scanned)]
            values += [control.count] if isinstance(control.count, Tensor) else []
        for part in operation.subgraphs.values():
            yield from _read(part)
    for value in values:
        for tensor in tensors_of(value):
            yield tensor
            yield from tensor.alternatives
