"""Consequences of all assertions together: bounds of each symbol, and relations between several symbols."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from msgspec import Struct

from snd_analysis.nnef1.assertions.limits import MOST_ROUNDS
from snd_analysis.nnef1.assertions.reading import AssertionLine
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import FALSE, AtLeastZero, Facts, Integer, IsZero, Junction, Truth


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
