"""Limits of proofs, and what is said where one is met."""

from __future__ import annotations

from collections.abc import Callable

MEMORY_MEGABYTES = 1024
"""What z3 may take. It gives up then: the verdict is unknown."""
FEW_CASES = 60
"""Cases that are looked at before others are told apart."""
MOST_CASES = 600
"""Ranks, lengths, strings and optional values of an operator that are looked at, each with all sizes; those of short
packs are all looked at."""
MOST_REQUIRED = 1200
"""If packs of up to two items have more cases, those are left out whose lengths are great together."""
MOST_TOGETHER = 3
"""What lengths, and attributes that say how many items there are, may always come to together."""
LONGEST_LENGTH = 3
"""The longest pack of unknown length that is looked at, unless the operator names a greater number. Nothing is proved
without those that are shorter."""
MOST_NAMED = 6
"""Numbers above this that an operator names do not make lengths longer that are looked at."""
SECONDS = 5.0
"""Of one operator. What is not decided then is unknown."""
SECONDS_OF_ASSERTIONS = 1.0
"""What longer packs than must be looked at leave for the question whether assertions imply others."""
MILLISECONDS = 400
"""Of one question to z3."""
MOST_GENERAL_CASES = 16
"""Cases with unknown lengths. With more, nothing is proved without lengths."""
MOST_TOLD_APART = 3
"""Helper symbols that may be null or not. With more, they are not told apart: what depends on them is
unknown."""
MOST_WRITERS = 6
"""Unrolled formulas and packed writes that are held against one another. With more, the verdict is unknown."""
MOST_CONDITIONS = 6
"""Conditions that are told apart on the way to a divisor. A divisor below more is looked at without
them, and may be unknown."""
MOST_REALS = 2
"""Real attributes of an assertion that are tried with different values. If it names more, all of them are the same."""
MOST_CANDIDATES = 3
"""Counterexamples of one condition that evaluation tries. If it confirms none, the verdict is unknown."""

MOST_COFACTORS = 8
"""Factors that occur together with one factor in products, and are compared with one another. More are left out: what
only they prove is unknown."""
MOST_LEMMAS = 200
"""Lemmas about products of one question. What needs more is unknown."""
SECONDS_OF_TRIALS = 0.3
"""Computing time for the sizes that the assertions for an operator are judged by."""
SECONDS_OF_CANDIDATES = 0.1
"""Computing time for the assertions that may mend one condition."""
SECONDS_OF_DOUBTS = 0.1
"""Computing time for the search of sizes that work and one assertion refuses."""
MOST_TRIED_SIZES = 1000
"""Sizes that the assertions for an operator are judged by."""
MOST_CHOSEN_SIZES = 4000
"""Sizes that these are chosen from: most may be refused by assertions."""
MOST_TRIED_CASES = 60
"""Cases that these sizes are taken from."""
MOST_LENGTHENED = 2
"""Cases whose packs and ranks are lengthened for more sizes."""
MOST_TRIED_POINTS = 400
"""Points of all formulas. Sizes with more don't count for or against an assertion."""
MOST_FAILING_POINTS = 6
"""Points of a formula that break a condition, after which the other points are left out."""
LEAST_WORKING = 4
"""Sizes that work, without which no assertion is proposed."""
LEAST_VALUES = 3
"""Values that a name must have among the sizes tried. An assertion does not name others."""
MOST_PAIRED = 80
"""Assertions that are tried in pairs if none is enough by itself."""
MOST_NUMBERS = 4
"""Numbers of an operator that assertions name; larger ones are left out."""
MOST_PROPOSED = 4
"""Assertions for one condition, each of which is proved to mend it before it is offered."""
MOST_NAMES_NEAR = 6
"""Names of which an assertion may combine three or four; those beyond are only compared in pairs."""


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
