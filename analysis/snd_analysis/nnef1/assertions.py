"""Facts about symbols from ``extension tract_assert`` lines. They hold wherever shapes are compared."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.nnef1.limits import DEEPEST_ASSERTION, MOST_ROUNDS
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import (
    FALSE,
    AtLeastZero,
    DivisionByZero,
    Facts,
    Integer,
    IsZero,
    Junction,
    Relation,
    Truth,
)

# ---- the lines ``extension tract_assert`` of a file, read: comparisons of sums of symbols ----------------------------
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[^\W\d][\w.]*(?:/[^\W\d][\w.]*)*)|(?P<sign>==|<=|>=|[-+*/()<>,#]))", re.ASCII
)
_SCENARIO = re.compile(r"\s*(?P<name>[\w.]+)\s*:")
_RELATIONS: Mapping[str, Relation] = {"==": "==", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}


class AssertionLine(Struct, frozen=True):
    """One line. ``condition`` is None if it cannot be read; it holds in a scenario only, if one is named."""

    span: Span
    text: str
    scenario: str | None
    condition: Truth | None


class _Unreadable(Exception):  # noqa: N818
    """A text that is no assertion."""


def assertions_of(items: Sequence[nodes.Item]) -> tuple[AssertionLine, ...]:
    """Return the assertions of a file, in order."""
    found = []
    for each in items:
        if isinstance(each, nodes.Placed) and isinstance(each.item, nodes.Extension):
            extension = each.item
            if extension.name.text == "tract_assert" and extension.text:
                span = Span(extension.at, extension.at + len(extension.text)).shifted(each.start)
                found.append(_assertion(span, extension.text))
    return tuple(found)


def _assertion(span: Span, text: str) -> AssertionLine:
    scenario = _SCENARIO.match(text)
    rest = text if scenario is None else text[scenario.end() :]
    try:
        condition = _Reader(rest).comparison()
    except (_Unreadable, DivisionByZero):
        condition = None
    return AssertionLine(span, text, None if scenario is None else scenario["name"], condition)


class _Reader:
    """The reading of one comparison over plain unknowns."""

    def __init__(self, text: str) -> None:
        self._tokens: list[re.Match[str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise _Unreadable
            self._tokens.append(token)
            at = token.end()
        self._at = 0
        self._depth = 0

    def comparison(self) -> Truth:
        left, sign, right = self._sum(), self._take(), self._sum()
        if sign not in _RELATIONS or self._at < len(self._tokens):
            raise _Unreadable
        return integers.compare(_RELATIONS[sign], left, right)

    def _sum(self) -> Integer:
        found = self._product()
        while self._next() in ("+", "-"):
            found = found + self._product() if self._take() == "+" else found - self._product()
        return found

    def _product(self) -> Integer:
        found = self._factor()
        while self._next() in ("*", "/", "#"):
            match self._take():
                case "*":
                    found = found * self._factor()
                case "/":
                    found = integers.floor_divide(found, self._factor())
                case _:
                    found = integers.opaque("broadcast", origin=("broadcast", found, self._factor()))
        return found

    def _factor(self) -> Integer:
        self._depth += 1
        if self._depth > DEEPEST_ASSERTION:
            raise _Unreadable
        found = self._operand()
        self._depth -= 1
        return found

    def _operand(self) -> Integer:
        token = self._take()
        if token == "-":
            return -self._factor()
        if token == "(":
            found = self._sum()
            self._demand(")")
            return found
        if token[0].isdigit():
            return integers.constant(int(token)) if len(token) < 20 else self._unreadable()
        if self._tokens[self._at - 1]["name"] is None:
            return self._unreadable()
        return self._call(token) if self._next() == "(" else integers.plain_unknown(token)

    def _call(self, function: str) -> Integer:
        self._demand("(")
        arguments = [self._sum()]
        while self._next() == ",":
            self._take()
            arguments.append(self._sum())
        self._demand(")")
        match function, arguments:
            case "floor", [only]:
                return only
            case "min", _:
                return integers.minimum(*arguments)
            case "max", _:
                return integers.maximum(*arguments)
            case "broadcast", _:
                return integers.opaque("broadcast", origin=("broadcast", *arguments))
        return self._unreadable()

    def _unreadable(self) -> Integer:
        raise _Unreadable

    def _next(self) -> str | None:
        if self._at == len(self._tokens):
            return None
        token = self._tokens[self._at]
        return token[token.lastgroup or 0]

    def _take(self) -> str:
        token = self._next()
        if token is None:
            raise _Unreadable
        self._at += 1
        return token

    def _demand(self, token: str) -> None:
        if self._take() != token:
            raise _Unreadable


# ---- consequences of all assertions together: bounds of each symbol, and relations between several symbols -----------
class SymbolFacts(Struct, frozen=True):
    """Facts about one symbol: its least and greatest value, and its relations to other symbols."""

    low: int | None
    high: int | None
    facts: Facts


class _Concluded(Struct, frozen=True):
    """Integers that are 0, integers that are at least 0, and the bounds of each unknown, keyed by the unknown."""

    zero: tuple[Integer, ...]
    at_least_zero: tuple[Integer, ...]
    bounds: dict[Hashable, tuple[int | None, int | None]]


def facts_by_symbol(assertions: Iterable[AssertionLine]) -> dict[str, SymbolFacts]:
    """Return the facts that assertions state about symbols in all scenarios, by name of the symbol.

    Ignore assertions that contradict earlier ones.
    """
    kept = [each.condition for each, contradicted in _in_turn(assertions) if not contradicted]
    found = _concluded([each for each in kept if each is not None])
    assert found is not None
    facts: dict[Hashable, Facts] = {}
    for keys, part in integers.components([*found.zero, *found.at_least_zero]):
        about = integers.facts_from(
            [each for each in found.zero if each in part], [each for each in found.at_least_zero if each in part]
        )
        facts |= dict.fromkeys(keys, about)
    return {
        leaf.name: SymbolFacts(*found.bounds[leaf.key], facts.get(leaf.key, Facts()))
        for each in kept
        if each is not None
        for leaf in each.leaves
        if leaf.key in found.bounds
    }


def first_contradictions(
    assertions: Iterable[AssertionLine],
) -> Iterator[tuple[AssertionLine, tuple[AssertionLine, ...]]]:
    """Yield assertions that can't hold in any scenario, each with the earlier ones that exclude it."""
    before: list[AssertionLine] = []
    for each, contradicted in _in_turn(assertions):
        if contradicted:
            yield each, tuple(before) if each.condition is not FALSE else ()
        else:
            before.append(each)


def _in_turn(assertions: Iterable[AssertionLine]) -> Iterator[tuple[AssertionLine, bool]]:
    """Yield the readable assertions without scenario, each with True if earlier ones exclude it."""
    kept: list[Truth] = []
    for each in assertions:
        if each.scenario is None and each.condition is not None:
            contradicted = _concluded([*kept, each.condition]) is None
            if not contradicted:
                kept.append(each.condition)
            yield each, contradicted


def _concluded(conditions: Sequence[Truth]) -> _Concluded | None:
    """Return the consequences of conditions together; None if they can't hold together."""
    pending, zero, at_least_zero = list(conditions), list[Integer](), list[Integer]()
    while pending:
        condition = pending.pop(0)
        match condition:
            case Junction(conjunction=True):
                pending += condition.operands
            case IsZero(positive=True):
                zero.append(condition.parts[0])
            case AtLeastZero():
                at_least_zero.append(condition.slack)
        if condition is FALSE:
            return None
    asserted = [*zero, *(-each for each in zero), *at_least_zero]
    bounds = {leaf.key: (leaf.low, leaf.high) for each in asserted for leaf in each.leaves}
    names = {leaf.key: leaf.name for each in asserted for leaf in each.leaves}

    def known() -> dict[Hashable, Integer]:
        return {key: integers.variable(key, names[key], *found) for key, found in bounds.items()}

    for _ in range(MOST_ROUNDS):
        before = dict(bounds)
        if not all(_narrow(integers.substitute(each, known()), bounds) for each in asserted):
            return None
        if bounds == before:
            break
    equations = [integers.substitute(each, known()) for each in zero]
    inequalities = [integers.substitute(each, known()) for each in at_least_zero]
    facts = integers.facts_from(equations, inequalities)
    solved = dict(facts.solved)
    slacks = [integers.substitute(each, solved) for each in inequalities]
    sums = (one + other for at, one in enumerate(slacks) for other in (integers.constant(0), *slacks[at + 1 :]))
    if any(map(integers.is_negative, sums)):
        return None
    if any(not _may_be_zero(each) for each in (*facts.zero, *equations)):
        return None
    return _Concluded(
        tuple(each for each in equations if each.value is None),
        tuple(each for each in inequalities if integers.compare(">=", each, 0) is not integers.TRUE),
        bounds,
    )


def _may_be_zero(a: Integer) -> bool:
    return integers.decide_equal(a, 0) is not integers.EqualityVerdict.DIFFERENT


def _narrow(at_least_zero: Integer, bounds: dict[Hashable, tuple[int | None, int | None]]) -> bool:
    """Narrow the bounds of each unknown of a sum that is not negative; return whether that can be."""
    if integers.is_negative(at_least_zero):
        return False
    for leaf in at_least_zero.leaves:
        form = integers.as_affine(at_least_zero, leaf.key)
        most = None if form is None else integers.bounds(form[1])[1]
        if form is None or most is None:
            continue
        factor, (low, high) = form[0], bounds[leaf.key]
        if factor > 0:
            least = -(most // factor)
            low = least if low is None else max(low, least)
        else:
            greatest = most // -factor
            high = greatest if high is None else min(high, greatest)
        if low is not None and high is not None and low > high:
            return False
        bounds[leaf.key] = (low, high)
    return True
