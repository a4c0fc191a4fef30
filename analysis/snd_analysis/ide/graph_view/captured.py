"""Surrounding tensors that control flow reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from snd_analysis.model import Branch, Graph, Loop, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.values import NULL


def reads(operation: Operation, around: Set[Tensor]) -> list[TensorValue]:
    """Return the tensors that an operation reads: its arguments; for a loop its initial values, packs and count.

    Control flow also reads the tensors ``around`` that its parts capture.
    """
    values = list(_arguments(operation))
    known = {tensor for value in values for tensor in tensors_of(value)}
    for part in operation.subgraphs.values():
        for tensor in captured(part, around):
            if tensor not in known:
                known.add(tensor)
                values.append(tensor)
    return values


def captured(part: Graph, around: Set[Tensor]) -> list[Tensor]:
    """Return the tensors in ``around`` that a part of control flow reads, each once."""
    if not around:
        return []
    own = {tensor for value in part.inputs.values() for tensor in tensors_of(value)}
    return list(dict.fromkeys(each for each in _read(part) if each in around and each not in own))


def _read(part: Graph) -> Iterator[Tensor]:
    for operation in (*part.operations, *part.update_operations):
        yield from _origins(_arguments(operation))
        for inner in operation.subgraphs.values():
            yield from _read(inner)
    yield from _origins(part.outputs.values())


def _origins(values: Iterable[TensorValue]) -> Iterator[Tensor]:
    for value in values:
        for tensor in tensors_of(value):
            yield from tensor.origins


def _arguments(operation: Operation) -> Iterator[TensorValue]:
    control = operation.control
    if isinstance(control, Loop):
        yield from (each.source for each in (*control.carried, *control.scanned))
        if isinstance(control.count, Tensor):
            yield control.count
    elif not isinstance(control, Branch):
        yield from (NULL if value is None else value for value in operation.inputs)
