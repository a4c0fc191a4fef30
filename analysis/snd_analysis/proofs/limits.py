"""Limits of proofs, and the reasons that are reported when they are met."""

from __future__ import annotations

from collections.abc import Callable

MEMORY_MEGABYTES = 1024
"""Memory of z3. Beyond it, z3 gives up and the verdict is unknown."""
FEW_CASES = 60
"""Number of cases that are looked at before the other cases are made."""
MOST_CASES = 600
"""Maximum number of cases per operator, each for all sizes.

The cases of short packs are looked at even beyond it.
"""
MOST_REQUIRED = 1200
"""Maximum number of cases of packs with up to two items.

Beyond it, cases with large sums of lengths are left out.
"""
MOST_TOGETHER = 3
"""Sum of lengths and numbers of items up to which cases are always looked at."""
LONGEST_LENGTH = 3
"""Length of the longest pack of unknown length that is looked at, unless the operator names a greater number.

Nothing is proved without the shorter packs.
"""
MOST_NAMED = 6
"""Greatest number in an operator that extends the lengths of packs that are looked at."""
SECONDS = 5.0
"""Time for one operator. Conditions that are undecided then are unknown."""
TIME_IS_OVER = f"the {SECONDS:g} seconds for an operator were over"
"""The reason for verdicts that need more time."""
SECONDS_OF_ASSERTIONS = 1.0
"""Time that optional cases of longer packs leave for deciding whether assertions imply others."""
MILLISECONDS = 400
"""Time for one question to z3."""
MOST_GENERAL_CASES = 16
"""Maximum number of cases with unknown lengths. With more, nothing is proved without lengths."""
MOST_TOLD_APART = 3
"""Maximum number of helper symbols that may be null and are divided into cases.

With more, none of them is: conditions that depend on them are unknown.
"""
MOST_WRITERS = 6
"""Maximum number of unrolled formulas and packed writes that are compared. With more, the verdict is unknown."""
MOST_WAYS = 4
"""Maximum number of ways through the selections of an index that are told apart. Others are not taken apart."""
MOST_CONDITIONS = 6
"""Maximum number of conditions on the way to a divisor that are distinguished.

Divisors below more are looked at without them, and may be unknown.
"""
MOST_REALS = 2
"""Maximum number of real attributes of an assertion that are tried with different values.

If it names more, all of them have the same value.
"""
MOST_CANDIDATES = 3
"""Maximum number of counterexamples per condition that are evaluated. If none is confirmed, the verdict is unknown."""

MOST_COFACTORS = 8
"""Maximum number of factors that occur together with one factor in products, and are compared with one another.

More are left out: conditions that only they prove are unknown.
"""
MOST_LEMMAS = 200
"""Maximum number of lemmas about the products of one question. Conditions that need more are unknown."""
SECONDS_OF_TRIALS = 0.3
"""Computing time for the sizes that the assertions for an operator are judged by."""
SECONDS_OF_CANDIDATES = 0.1
"""Computing time for the assertions that may mend one condition."""
SECONDS_OF_DOUBTS = 0.2
"""Computing time for each of two searches of sizes that work and one assertion refuses."""
MOST_TRIED_SIZES = 1000
"""Maximum number of sizes by which the assertions for an operator are judged."""
MOST_CHOSEN_SIZES = 4000
"""Maximum number of sizes from which these are chosen: most may be refused by assertions."""
MOST_NEIGHBOURS = 20_000
"""Maximum number of changes of sizes that work, in the search of sizes that one assertion refuses."""
MOST_TRIED_CASES = 60
"""Maximum number of cases from which these sizes are taken."""
MOST_LENGTHENED = 2
"""Maximum number of cases whose packs and ranks are lengthened for more sizes."""
MOST_TRIED_POINTS = 400
"""Maximum number of points of all formulas. Sizes with more don't count for or against an assertion."""
MOST_FAILING_POINTS = 6
"""Number of points of a formula that break a condition, after which its other points are left out."""
LEAST_WORKING = 4
"""Minimum number of working sizes for a proposal of assertions."""
LEAST_VALUES = 3
"""Minimum number of values that a name must have among the sizes tried. An assertion does not name others."""
MOST_PAIRED = 80
"""Maximum number of assertions that are tried in pairs, if none is enough by itself."""
MOST_NUMBERS = 4
"""Maximum number of an operator's numbers that assertions name; larger ones are left out."""
MOST_PROPOSED = 4
"""Maximum number of assertions that are proposed for one condition, each proved to mend it."""
MOST_NAMES_NEAR = 6
"""Maximum number of names that an assertion may combine in threes or fours.

Further names are only compared in pairs.
"""
LONGEST_OPERAND = 60
"""Maximum number of characters of an operand that is shown with a condition."""


class Pace:
    """Tells when no other step should begin: with less time left than the slowest step took, it might take too long."""

    def __init__(self, seconds_left: Callable[[], float]) -> None:
        self._seconds_left = seconds_left
        self._last = seconds_left()
        self._slowest = 0.0

    def is_over(self) -> bool:
        """Return whether the time does not suffice for another step; one has ended, or the first begins."""
        left = self._seconds_left()
        self._slowest, self._last = max(self._slowest, self._last - left), left
        return left <= self._slowest
