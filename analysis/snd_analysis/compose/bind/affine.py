"""Deduction of the name in an affine extent or length from the actual value (2.6)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.compose.template import AffineForm
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


class Unsolvable(Struct, frozen=True):
    """The reason that no value of the name gives the actual value."""

    because: str


def solve(form: AffineForm, actual: Integer) -> Integer | Unsolvable:
    """Return the x with ``factor * x + offset == actual``, not negative; Unsolvable if there is certainly none."""
    difference = actual - form.offset
    if form.factor == 1:
        value = difference
    elif form.factor == 0:
        return actual
    else:
        rest = shapes.remainder(difference, form.factor)
        if shapes.decide_equal(rest, 0) is EqualityVerdict.DIFFERENT:
            return Unsolvable(f"no whole number '{form.symbol.name}' gives that")
        value = shapes.floor_divide(difference, form.factor)
    most = shapes.bounds(value)[1]
    if most is not None and most < 0:
        return Unsolvable(f"'{form.symbol.name}' would be {value if value.value is not None else 'negative'}")
    return value
