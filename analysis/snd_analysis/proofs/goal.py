"""One condition in one case of an operator."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose.formulas import LIMIT_EXCEEDED, UNKNOWN_VALUE
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Truth

# ---- integers and conditions over unknowns, as plain data: the questions about a case --------------------------------
# Most questions of a case equal questions of another case after renaming. Plain data shows that at little cost; z3 is
# asked the rest.


# ---- integers and conditions over unknowns, as plain data ------------------------------------------------------------
class Expression(Struct, frozen=True, eq=False):
    """An integer or a condition, made by the functions and operators of this module, which fold constants."""

    operation: str
    operands: tuple[Expression, ...] = ()
    value: int = 0
    """The value of a constant; the unique number of an unknown."""
    is_condition: bool = False
    unknowns: frozenset[int] = frozenset()

    def __add__(self, other: Expression | int) -> Expression:
        return total((self, _made(other)))

    def __sub__(self, other: Expression | int) -> Expression:
        return total((self, _made(other) * -1))

    def __mul__(self, other: Expression | int) -> Expression:
        first, second = self, _made(other)
        if first.operation == "constant":
            first, second = second, first
        if second.operation == "constant":
            if second.value == 1:
                return first
            if second.value == 0 or first.operation == "constant":
                return number(first.value * second.value)
        return _applied("*", (first, second))

    def __neg__(self) -> Expression:
        return self * -1

    def __le__(self, other: Expression | int) -> Expression:
        second = _made(other)
        if self.operation == second.operation == "constant":
            return truth(self.value <= second.value)
        return TRUE if self is second else _applied("<=", (self, second), True)

    def __lt__(self, other: Expression | int) -> Expression:
        return negation(_made(other) <= self)

    def __ge__(self, other: Expression | int) -> Expression:
        return _made(other) <= self

    def __gt__(self, other: Expression | int) -> Expression:
        return negation(self <= other)


def number(value: int) -> Expression:
    """Return a constant integer."""
    return Expression("constant", (), value)


def truth(value: bool) -> Expression:
    """Return a constant condition."""
    return TRUE if value else FALSE


TRUE, FALSE = (Expression("constant", (), value, True) for value in (1, 0))


def unknown(name: int, is_condition: bool = False) -> Expression:
    """Return an unknown of a number."""
    return Expression("unknown", (), name, is_condition, frozenset((name,)))


def _made(value: Expression | int) -> Expression:
    return value if isinstance(value, Expression) else number(value)


def _applied(operation: str, operands: tuple[Expression, ...], is_condition: bool = False) -> Expression:
    unknowns = operands[0].unknowns.union(*(each.unknowns for each in operands[1:]))
    return Expression(operation, operands, 0, is_condition, unknowns)


def total(parts: Iterable[Expression]) -> Expression:
    """Return a sum."""
    constant, others = 0, []
    for part in parts:
        for each in part.operands if part.operation == "+" else (part,):
            if each.operation == "constant":
                constant += each.value
            else:
                others.append(each)
    if constant or not others:
        others.append(number(constant))
    return others[0] if len(others) == 1 else _applied("+", tuple(others))


def equal(first: Expression, second: Expression | int) -> Expression:
    """Return whether two integers, or two conditions, are the same."""
    other = _made(second)
    if first.operation == other.operation == "constant":
        return truth(first.value == other.value)
    return TRUE if first is other else _applied("==", (first, other), True)


def negation(condition: Expression) -> Expression:
    """Return that a condition does not hold."""
    if condition.operation == "constant":
        return truth(not condition.value)
    return condition.operands[0] if condition.operation == "not" else _applied("not", (condition,), True)


def all_of(*conditions: Expression) -> Expression:
    """Return that all of some conditions hold."""
    return _joined("and", conditions, FALSE)


def any_of(*conditions: Expression) -> Expression:
    """Return that one of some conditions holds."""
    return _joined("or", conditions, TRUE)


def _joined(operation: str, conditions: Iterable[Expression], decides: Expression) -> Expression:
    others = [each for each in conditions if each.operation != "constant" or each is decides]
    if decides in others:
        return decides
    if len(others) < 2:
        return others[0] if others else negation(decides)
    return _applied(operation, tuple(others), True)


def implies(first: Expression, second: Expression) -> Expression:
    """Return that one condition follows from another."""
    return any_of(negation(first), second)


def choose(condition: Expression, first: Expression, second: Expression) -> Expression:
    """Return the first where a condition holds, else the second."""
    if condition.operation == "constant":
        return first if condition.value else second
    return first if first is second else _applied("choose", (condition, first, second), first.is_condition)


def greatest(first: Expression, second: Expression) -> Expression:
    """Return the greater of two integers."""
    return choose(first >= second, first, second)


def least(first: Expression, second: Expression) -> Expression:
    """Return the smaller of two integers."""
    return choose(first <= second, first, second)


class Fact(Struct, frozen=True, eq=False):
    """A condition that holds.

    If it ``defines`` an unknown, this unknown has a value for all values of the others: then the fact matters only for
    conditions that name this unknown.
    """

    condition: Expression
    defines: int | None = None


def bearing_on(asked: Expression, facts: Sequence[Fact]) -> list[Expression]:
    """Return the facts that have to do with a condition.

    The others speak of other unknowns: they are of no help unless they contradict one another.
    """
    return _reached(asked, facts, lambda names, reached: not reached.isdisjoint(names))


def nearest(asked: Expression, facts: Sequence[Fact]) -> list[Expression]:
    """Return the facts whose unknowns all belong to a condition; they are mostly enough."""
    return _reached(asked, facts, lambda names, reached: names <= reached)


def _reached(
    asked: Expression, facts: Sequence[Fact], is_near: Callable[[frozenset[int], set[int]], bool]
) -> list[Expression]:
    reached, found, left = set(asked.unknowns), set[int](), list(enumerate(facts))
    while True:
        more = [
            (at, each)
            for at, each in left
            if (each.defines in reached if each.defines is not None else is_near(each.condition.unknowns, reached))
            or each.condition is FALSE
        ]
        if not more:
            return [facts[at].condition for at in sorted(found)]
        for at, each in more:
            found.add(at)
            reached |= each.condition.unknowns
        left = [(at, each) for at, each in left if at not in found]


class Question(Struct, frozen=True):
    """Conditions that are to hold at once. Questions with other unknowns in the same places are equal.

    The rows are operations with the numbers of earlier rows, or of an unknown, in the order in which they are met.
    """

    rows: tuple[tuple[str, bool, tuple[int, ...]], ...]
    conditions: tuple[int, ...]


def question_of(conditions: Iterable[Expression]) -> tuple[Question, Sequence[int]]:
    """Return the question whether conditions can hold at once, and their unknowns in its order."""
    known: dict[Expression, int] = {}
    rows: dict[tuple[str, bool, tuple[int, ...]], int] = {}
    names: dict[int, int] = {}

    def visit(each: Expression) -> int:
        match each.operation:
            case "unknown":
                parts: tuple[int, ...] = (names.setdefault(each.value, len(names)),)
            case "constant":
                parts = (each.value,)
            case _:
                parts = tuple(map(at, each.operands))
        found = known[each] = rows.setdefault((each.operation, each.is_condition, parts), len(rows))
        return found

    def at(each: Expression) -> int:
        found = known.get(each)
        return visit(each) if found is None else found

    asked = tuple(map(at, conditions))
    return Question(tuple(rows), asked), tuple(names)


# ---- one condition in one case of an operator ------------------------------------------------------------------------
UNDECIDED = frozenset({UNKNOWN_VALUE, LIMIT_EXCEEDED, rules.VALUE_TOO_LARGE})
"""Failures that say nothing about the operator: their conditions could not be examined."""
WRITTEN_ONCE = ("unwritten-element", "written-twice")
"""The rules that an element breaks that ``=`` does not write once."""


OUT_OF_BOUNDS = (rules.INDEX_OUT_OF_RANGE.name, rules.ACCESS_OUT_OF_RANGE.name)


class Goal(Struct, frozen=True):
    """One condition in one case; ``goal`` is None if the condition is not known."""

    base: int
    node: nodes.Node
    text: str
    facts: tuple[Expression, ...] = ()
    goal: Expression | None = None
    reason: str = ""
    holds: bool = False
    """True if algebra proves it without z3."""
    reads_data: bool = False
    unless_proved: str = ""
    """Why nothing is known if it is not proved: it may be meant not to hold."""
    mends: tuple[Truth, ...] = ()
    """Conditions on sizes; a single one may make it hold."""
    breaks: tuple[str, ...] = OUT_OF_BOUNDS
    """The rules that an evaluation breaks where it does not hold."""
    enough: tuple[tuple[Expression, ...], Expression] | None = None
    """Facts and another condition: if it follows from them, so does this one."""


class Gap(Struct, frozen=True):
    """A part of an operator that could not be looked at in one case: its conditions are not known to hold."""

    reason: str
    base: int = 0
    node: nodes.Node | None = None
    """The part; None for the whole operator."""


Posed = Goal | Gap
Point = Hashable
"""A point of the index space of a formula: unknowns of different points are different."""
