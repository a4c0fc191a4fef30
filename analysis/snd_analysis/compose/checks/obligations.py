"""Conditions on extents and divisors that must hold for every size, and that bounds alone do not prove (2.6, 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.failure import Failure
from snd_analysis.model import Place
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Junction, Quotient, Truth
from snd_analysis.symbolic.values import Pack, Value


class Obligation(Struct, frozen=True):
    """A value with possible forbidden values: a negative extent, or a divisor of zero.

    ``what`` names it in messages.
    """

    value: Integer
    is_divisor: bool
    what: str
    place: Place

    @property
    def rule(self) -> Rule:
        """The rule that it may break."""
        return rules.DIVISOR_MAY_BE_ZERO if self.is_divisor else rules.EXTENT_MAY_BE_NEGATIVE

    def may_be(self, number: int) -> bool:
        """Return whether a number is a forbidden value."""
        return number == 0 if self.is_divisor else number < 0

    def is_shown_by(self, failure: Failure) -> bool:
        """Return whether a failure of composing with numbers is this one: at this place, or in the same definition."""
        # A failing declaration of an operator is the fault of its invocation.
        blamed = failure.related if failure.rule == rules.NEGATIVE_EXTENT and failure.related else failure.sites
        place = blamed[0].place if blamed else None
        if place is None or (place.path, place.definition) != (self.place.path, self.place.definition):
            return False
        if self.is_divisor:
            return failure.rule == rules.DIVISION_BY_ZERO
        return failure.rule == rules.NEGATIVE_EXTENT and place == self.place


def obligations_of_shape(extents: Sequence[object], name: str, place: Place) -> Iterator[Obligation]:
    """Yield the obligations of the shape of a tensor."""
    for extent in extents:
        if not isinstance(extent, Integer) or extent.value is not None:
            continue
        divisors = list(_divisors(extent))
        yield from (Obligation(divisor, True, f"in the shape of '{name}'", place) for divisor in divisors)
        if not divisors and _may_be_negative(extent):
            yield Obligation(extent, False, f"of '{name}'", place)


def obligations_of_value(value: Value, what: str, place: Place) -> Iterator[Obligation]:
    """Yield the obligations of an attribute, a helper symbol or a condition."""
    for each in value.segments if isinstance(value, Pack) else (value,):
        for integer in _integers(each):
            if integer.value is None:
                yield from (Obligation(divisor, True, what, place) for divisor in _divisors(integer))


def _integers(value: object) -> Iterator[Integer]:
    """Yield an integer, or the integers that a condition compares."""
    if isinstance(value, Integer):
        yield value
    elif isinstance(value, Truth):
        for part in value.operands if isinstance(value, Junction) else value.parts:
            yield from _integers(part)


def _may_be_negative(extent: Integer) -> bool:
    low = shapes.bounds(extent)[0]
    return low is None or low < 0


def _divisors(a: Integer) -> Iterator[Integer]:
    """Yield the divisors in an integer, outside other operations, whose bounds include zero."""
    for atom in a.atoms():
        if isinstance(atom, Quotient):
            divisor = atom.parts[1]
            low, high = shapes.bounds(divisor)
            if divisor.value is None and (low is None or low <= 0) and (high is None or high >= 0):
                yield divisor
