"""Estimate of the cost of an evaluation, as far as composing determines it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from snd_analysis.compose import (
    Cost,
    Specialization,
    iteration_count,
    multiply_adds,
    specialization_of,
    total_multiply_adds,
)
from snd_analysis.ide.limits import MOST_ELEMENTS, MOST_PRODUCTS
from snd_analysis.model import Graph, Loop, Operation, Tensor
from snd_analysis.symbolic.integers import bounds
from snd_analysis.symbolic.values import ItemRun, Maybe, Pack, Segment

# Number of graphs whose size class is cached: it is asked for with every edit.
_REMEMBERED = 4


def is_small_operation(operation: Operation) -> bool:
    """Return whether there is little to compute for an invocation."""
    specialization = specialization_of(operation)
    if specialization is not None and specialization.body is not None:
        return _is_small_body(specialization, None)
    return _are_few(_Elements(None).of_operation(operation)) and _is_little(multiply_adds(operation))


def is_small_graph(specialization: Specialization) -> bool:
    """Return whether there is little to compute for a graph whose unknown extents will be small."""
    return specialization.body is None or _is_small_body(specialization, 0)


@lru_cache(maxsize=_REMEMBERED)
def _is_small_body(specialization: Specialization, unlimited: int | None) -> bool:
    assert specialization.body is not None
    return _are_few(_Elements(unlimited).of_specialization(specialization)) and _is_little(
        total_multiply_adds(specialization.body.operations)
    )


def _are_few(elements: int | None) -> bool:
    return elements is not None and elements <= MOST_ELEMENTS


def _is_little(products: Cost) -> bool:
    return products.most is None or products.most <= MOST_PRODUCTS


class _Elements:
    """Maximum number of elements of all results on the way; None without a limit.

    Beyond the bound for small graphs, the number is only known to be larger. ``unlimited`` is the count for a tensor
    without a bound.
    """

    def __init__(self, unlimited: int | None) -> None:
        self._unlimited = unlimited
        self._known: dict[Specialization, int | None] = {}

    def of_operation(self, operation: Operation) -> int | None:
        """Return the number for the operands and results of an operation, and for the work inside it."""
        control = operation.control
        found = [self._elements(value) for value in (*operation.inputs, *operation.outputs)]
        parts = [self._of_graph(part) for part in operation.subgraphs.values()]
        inside = _sum(parts)
        if isinstance(control, Loop):
            times = iteration_count(control).most
            inside = None if times is None or inside is None else times * (inside + 1)
        callee = specialization_of(operation)
        if callee is not None:
            found.append(self.of_specialization(callee))
        return _sum([*found, inside])

    def of_specialization(self, specialization: Specialization) -> int | None:
        """Return the number for the variables and the body of a specialization."""
        if specialization not in self._known:
            body = specialization.body
            variables = _sum(self._elements(value) for value in specialization.variables.values())
            self._known[specialization] = _sum([variables, 0 if body is None else self._of_graph(body)])
        return self._known[specialization]

    def _of_graph(self, graph: Graph) -> int | None:
        return _sum(self.of_operation(each) for each in (*graph.operations, *graph.update_operations))

    def _elements(self, value: Segment) -> int | None:
        match value:
            case Tensor():
                volume = value.elements
                most = None if volume is None else bounds(volume)[1]
                return self._unlimited if most is None else most
            case Maybe():
                return self._elements(value.value)
            case ItemRun():
                length, each = bounds(value.length)[1], self._elements(value.element)
                return self._unlimited if length is None or each is None else length * each
            case Pack():
                return _sum([self._elements(each) for each in value.segments])
        return 0


def _sum(amounts: Iterable[int | None]) -> int | None:
    """Return the sum, which stops growing once it is too large."""
    total_multiply_adds = 0
    for amount in amounts:
        if amount is None:
            return None
        total_multiply_adds += amount
        if total_multiply_adds > MOST_ELEMENTS:
            break
    return total_multiply_adds
