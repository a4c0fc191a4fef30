"""Assertions compared with the sizes tried: useful ones refuse failing sizes, and none that work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.proofs.limits import MOST_PAIRED
from snd_analysis.proofs.mending.candidates import AssertionCandidate
from snd_analysis.proofs.mending.outcomes import Broken, Outcome

_Rows = int
"""A set of the numbers of sizes, as bits."""


class Useful(Struct, frozen=True, eq=False):
    """An assertion that allows all working sizes, with the sizes that it refuses."""

    assertion: AssertionCandidate
    refused: _Rows
    """Sizes with which the assertion does not hold."""
    undefined: _Rows
    """Sizes with which the assertion has no value."""


class Judging:
    """The sizes that break one condition, those that work, and all others.

    Sizes do not count as working if the condition belongs to formulas and none of these has a point. Nor do they if no
    formula at all has a point and an input is empty.
    """

    def __init__(self, trials: Sequence[Outcome], condition: Broken, formulas: Sequence[Span]) -> None:
        self._formulas = formulas
        self.broken: list[int] = []
        self.working: list[int] = []
        self._rows = range(len(trials))
        self._broken: _Rows = 0
        self._idle: _Rows = 0
        """Sizes that break nothing, though no formula of the condition has a point."""
        self._conditions: dict[Broken, _Rows] = {}
        """The sizes that break each condition of the operator."""
        for row, outcome in enumerate(trials):
            for each in outcome.broken:
                self._conditions[each] = self._conditions.get(each, 0) | 1 << row
            if any(_is_same(each, condition) for each in outcome.broken):
                self.broken.append(row)
                self._broken |= 1 << row
            elif self.is_working(outcome):
                self.working.append(row)
            elif not outcome.broken and not outcome.is_empty:
                self._idle |= 1 << row

    def is_working(self, outcome: Outcome) -> bool:
        """Return whether sizes break nothing, and the formulas of the condition compute something."""
        if outcome.broken:
            return False
        return not outcome.running.isdisjoint(self._formulas) if self._formulas else not outcome.is_empty

    def useful(self, candidates: Iterable[AssertionCandidate]) -> list[Useful]:
        """Return the assertions that refuse no working size, and at least one other size."""
        allowing = (each for each in candidates if all(each.holds(row) is True for row in self.working))
        return [judged for judged in map(self._judged, allowing) if judged.refused]

    def _judged(self, assertion: AssertionCandidate) -> Useful:
        refused = undefined = 0
        for row in self._rows:
            holds = assertion.holds(row)
            if holds is None:
                undefined |= 1 << row
            elif not holds:
                refused |= 1 << row
        return Useful(assertion, refused, undefined)

    def alone(self, useful: Sequence[Useful]) -> list[tuple[AssertionCandidate, ...]]:
        """Return the assertions that refuse all sizes that break the condition, the best first."""
        return self._in_order((each,) for each in useful if not each.undefined and not self._broken & ~each.refused)

    def pairs(self, useful: Sequence[Useful]) -> list[tuple[AssertionCandidate, ...]]:
        """Return the pairs that refuse all that breaks the condition together, the best first.

        The first of a pair refuses the sizes with which the other one has no value, as ``g > 0`` does for
        ``c % g == 0``.
        """
        lightest: dict[tuple[_Rows, _Rows], Useful] = {}
        for each in useful:
            key = each.refused, each.undefined
            if key not in lightest or each.assertion.weight < lightest[key].assertion.weight:
                lightest[key] = each
        tried = sorted(lightest.values(), key=lambda each: -(each.refused & self._broken).bit_count())
        helpful = [each for each in tried if each.refused & self._broken][:MOST_PAIRED]
        guards = [each for each in tried if not each.undefined][:MOST_PAIRED]
        return self._in_order(
            (one, other)
            for one in guards
            for other in helpful
            if not self._broken & ~(one.refused | other.refused) and not other.undefined & ~one.refused
        )

    def _in_order(self, found: Iterable[tuple[Useful, ...]]) -> list[tuple[AssertionCandidate, ...]]:
        """Return assertions in order, one for each set of refused sizes.

        Assertions that mend more conditions come first. Ties are ordered by the number of refused sizes that break no
        condition, and then by ``weight``.
        """
        lightest: dict[_Rows, tuple[int, tuple[Useful, ...]]] = {}
        for each in found:
            refused, weight = _refused(each), sum(one.assertion.weight for one in each)
            if refused not in lightest or weight < lightest[refused][0]:
                lightest[refused] = weight, each
        ordered = sorted(lightest.items(), key=lambda item: self._cost(item[0], item[1][0]))
        return [tuple(one.assertion for one in each) for _, (_, each) in ordered]

    def _cost(self, refused: _Rows, weight: int) -> tuple[int, int, int, int]:
        mended = sum(not rows & ~refused for rows in self._conditions.values())
        return -mended, (refused & self._idle).bit_count(), weight, refused.bit_count()


def _refused(assertions: Iterable[Useful]) -> _Rows:
    """Return the sizes that assertions refuse together; a size without a value is refused, too."""
    refused = 0
    for each in assertions:
        refused |= each.refused | each.undefined
    return refused


def _is_same(broken: Broken, condition: Broken) -> bool:
    return broken.text == condition.text and (
        covers(broken.span, condition.span) or covers(condition.span, broken.span)
    )


def covers(span: Span, other: Span) -> bool:
    """Return whether one span lies within another."""
    return span.start <= other.start and other.end <= span.end
