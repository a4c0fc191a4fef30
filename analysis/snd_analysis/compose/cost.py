"""Cost of an operation: its multiply-adds, by its formulas (2.12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from snd_analysis.compose.specialization import Specialization, specialization_of
from snd_analysis.model import Branch, Graph, Loop, Operation
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack


class Cost(Struct, frozen=True):
    """A number of multiply-adds, which dynamic extents may leave open: ``most`` is None if it has no limit."""

    least: int
    most: int | None

    @property
    def exact(self) -> int | None:
        """The number, if it is always the same."""
        return self.least if self.least == self.most else None

    def __add__(self, other: Cost) -> Cost:
        most = None if self.most is None or other.most is None else self.most + other.most
        return Cost(self.least + other.least, most)

    def __mul__(self, times: Cost) -> Cost:
        if self.most == 0 or times.most == 0:
            return NOTHING
        most = None if self.most is None or times.most is None else self.most * times.most
        return Cost(self.least * times.least, most)


NOTHING = Cost(0, 0)
UNKNOWN = Cost(0, None)


def multiply_adds(operation: Operation) -> Cost:
    """Return the number of products that the formulas of an operation add up.

    The cost of a branch is that of the taken cases, the cost of a loop that of all its iterations. Unknown for an
    operator that the implementation provides.
    """
    return _Costs().of_operation(operation)


def total_multiply_adds(operations: Iterable[Operation]) -> Cost:
    """Return the multiply-adds of several operations."""
    costs = _Costs()
    return _sum(costs.of_operation(operation) for operation in operations)


class _Costs:
    """Costs of bodies, each computed once: all invocations of one specialization share its body."""

    def __init__(self) -> None:
        self._known: dict[Specialization, Cost] = {}

    def of_operation(self, operation: Operation) -> Cost:
        if isinstance(operation.control, Branch):
            return self._of_branch(operation.control)
        if isinstance(operation.control, Loop):
            return self._of_loop(operation.control)
        callee = specialization_of(operation)
        return UNKNOWN if callee is None else self._of_specialization(callee)

    def _of_specialization(self, specialization: Specialization) -> Cost:
        known = self._known.get(specialization)
        if known is None:
            known = self._known[specialization] = self._of_definition(specialization)
        return known

    def _of_definition(self, specialization: Specialization) -> Cost:
        if specialization.body is not None:
            return self._of_graph(specialization.body)
        if not specialization.template.formulas:
            return UNKNOWN
        return _sum(
            _iterations(specialization, node) for _, node in specialization.template.formulas if _adds_products(node)
        )

    def _of_graph(self, graph: Graph | None) -> Cost:
        if graph is None:
            return NOTHING
        return _sum(self.of_operation(each) for each in (*graph.operations, *graph.update_operations))

    def _of_branch(self, branch: Branch) -> Cost:
        tested, ways = NOTHING, []
        for case in branch.cases:
            if isinstance(case.condition, Graph):
                tested += self._of_graph(case.condition)
            ways.append(tested + self._of_graph(case.consequent))
        ways.append(tested + self._of_graph(branch.alternative))
        most = [way.most for way in ways if way.most is not None]
        return Cost(min(way.least for way in ways), max(most) if len(most) == len(ways) else None)

    def _of_loop(self, loop: Loop) -> Cost:
        times = iteration_count(loop)
        # A test before the first iteration is done once more than the body: when it ends the loop.
        tests = times + Cost(0, 1)
        return (
            self._of_graph(loop.body) * times + self._of_graph(loop.before) * tests + self._of_graph(loop.after) * times
        )


def iteration_count(loop: Loop) -> Cost:
    """Return how often the body of a loop is executed."""
    lengths = [each.source.length for each in loop.scanned if isinstance(each.source, Pack)]
    count = loop.count if isinstance(loop.count, Integer) else None
    dynamic = loop.count is not None and count is None
    if count is None and lengths:
        count = lengths[0]
    times = UNKNOWN if count is None else _number(count)
    if dynamic or loop.before is not None or loop.after is not None:
        return Cost(0, times.most)
    return times


def _sum(costs: Iterable[Cost]) -> Cost:
    return sum(costs, NOTHING)


def _number(amount: Integer) -> Cost:
    low, high = shapes.bounds(amount)
    return Cost(max(low or 0, 0), None if high is None else max(high, 0))


# ---- formulas --------------------------------------------------------------------------------------------------------
def _adds_products(node: nodes.Lowering) -> bool:
    if node.operator.text != "+=":
        return False
    value = node.value
    while isinstance(value, nodes.Parenthesized):
        value = value.inner
    return isinstance(value, nodes.Binary) and value.operator.text == "*"


def _iterations(specialization: Specialization, node: nodes.Lowering) -> Cost:
    limits = [bound.bound for bound in node.bounds]
    if node.unroll is not None:
        limits.append(node.unroll.count)
    volume = shapes.constant(1)
    for limit in limits:
        extents = _extents(specialization, limit)
        if extents is None:
            return UNKNOWN
        for extent in extents:
            volume = volume * extent
    return _number(volume)


def _extents(specialization: Specialization, limit: nodes.Expression) -> Sequence[Integer] | None:
    value = specialization.scope.attempt(limit)
    items = value.items if isinstance(value, Pack) else (value,)
    extents = [each for each in items or () if isinstance(each, Integer)]
    return extents if items is not None and len(extents) == len(items) else None
