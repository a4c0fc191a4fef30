"""How much an operation computes: multiply-adds, by its formulas (2.12)."""

from __future__ import annotations

from snd_analysis import shapes
from snd_analysis.compose.instance import Instance
from snd_analysis.model import Graph, Operation
from snd_analysis.shapes import Integer
from snd_analysis.syntax import nodes
from snd_analysis.values import Pack


def multiply_adds(operation: Operation) -> Integer | None:
    """How many products the formulas of an operation add up; None if that is not known.

    Of control flow, that is one iteration of every part.
    """
    if operation.body is not None:
        return _of_graph(operation.body)
    if operation.instance is not None:
        return _of_formulas(operation.instance)
    return _sum([_of_graph(part) for part in operation.subgraphs.values()])


def _of_graph(graph: Graph) -> Integer | None:
    return _sum([multiply_adds(operation) for operation in graph.operations])


def _sum(counts: list[Integer | None]) -> Integer | None:
    total = shapes.constant(0)
    for count in counts:
        if count is None:
            return None
        total = total + count
    return total


def _of_formulas(instance: Instance) -> Integer | None:
    return _sum([_iterations(instance, node) for _, node in instance.unit.formulas if _adds_products(node)])


def _adds_products(node: nodes.Lowering) -> bool:
    if node.operator.text != "+=":
        return False
    value = node.value
    while isinstance(value, nodes.Parenthesized):
        value = value.inner
    return isinstance(value, nodes.Binary) and value.operator.text == "*"


def _iterations(instance: Instance, node: nodes.Lowering) -> Integer | None:
    volume = shapes.constant(1)
    bounds = [bound.bound for bound in node.bounds]
    if node.unroll is not None:
        bounds.append(node.unroll.count)
    for bound in bounds:
        limit = instance.scope.attempt(bound)
        limits = limit.items if isinstance(limit, Pack) else (limit,)
        for each in limits or ():
            if not isinstance(each, Integer):
                return None
            volume = volume * each
        if limits is None:
            return None
    return volume
