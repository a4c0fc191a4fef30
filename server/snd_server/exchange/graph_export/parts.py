"""Parts of a flat graph that can be written as models of their own."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from snd_analysis.model import Graph, Operation, Tensor, tensors_of


def part_of(
    graph: Graph, operations: Sequence[Operation], outputs: Sequence[Tensor], fixed: Container[Tensor] = ()
) -> Graph:
    """Return a graph of these operations, whose inputs are the tensors that they read.

    Variables that ``@update`` changes are inputs, too; others remain variables. ``fixed`` are constants.
    """
    made = set(results_of(operations))
    updated = {tensor for name in graph.updates for tensor in tensors_of(graph.variables[name])}
    variables = {name: value for name, value in graph.variables.items() if updated.isdisjoint(tensors_of(value))}
    known = {tensor for value in variables.values() for tensor in tensors_of(value)}
    inputs = [
        tensor
        for tensor in dict.fromkeys(tensor for operation in operations for tensor in read_by(operation))
        if tensor not in made and tensor not in known and tensor.value is None and tensor not in fixed
    ]
    return Graph(
        graph.name,
        {f"input{at}": tensor for at, tensor in enumerate(inputs)},
        {f"output{at}": tensor for at, tensor in enumerate(outputs)},
        variables,
        graph.constants,
        {},
        tuple(operations),
    )


def results_of(operations: Iterable[Operation]) -> list[Tensor]:
    """Return the tensors that operations compute."""
    return [tensor for operation in operations for value in operation.outputs for tensor in tensors_of(value)]


def read_by(operation: Operation) -> Iterable[Tensor]:
    """Yield the tensors that an operation reads, also in parts of control flow."""
    for value in operation.inputs:
        yield from tensors_of(value)
    control = operation.control
    if control is None:
        return
    made: set[Tensor] = set()
    for each in (*getattr(control, "carried", ()), *getattr(control, "scanned", ())):
        yield from tensors_of(each.source)
        made.update(tensors_of(each.local))
    index, count = getattr(control, "index", None), getattr(control, "count", None)
    if isinstance(index, Tensor):
        made.add(index)
    if isinstance(count, Tensor):
        yield count
    for part in control.parts.values():
        made.update(results_of(part.operations))
        inner = [tensor for each in part.operations for tensor in read_by(each)]
        inner += [tensor for value in part.outputs.values() for tensor in tensors_of(value)]
        yield from (tensor for tensor in inner if tensor not in made)
