"""Minimum, maximum, absolute value and sign."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import gcd

from snd_analysis.symbolic.integers.bounds import bounds
from snd_analysis.symbolic.integers.division import prefers_sign
from snd_analysis.symbolic.integers.integer import ONE, ZERO, Integer, as_integer, of_operation
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Sign, simplifies
from snd_analysis.symbolic.limits import MOST_CANDIDATES


def minimum(*candidates: Integer | int) -> Integer:
    """Return ``a <? b`` of at least one integer."""
    return _extremum(False, [as_integer(candidate) for candidate in candidates])


def maximum(*candidates: Integer | int) -> Integer:
    """Return ``a >? b`` of at least one integer."""
    return _extremum(True, [as_integer(candidate) for candidate in candidates])


@simplifies(Absolute)
def absolute(a: Integer | int) -> Integer:
    """Return ``abs(a)``."""
    a = as_integer(a)
    low, high = bounds(a)
    if low is not None and low >= 0:
        return a
    if high is not None and high <= 0:
        return -a
    common = gcd(*a.terms.values())
    reduced = a.divided_exactly(common)
    return of_operation(Absolute(reduced if prefers_sign(reduced) else -reduced)).scaled(common)


@simplifies(Sign)
def sign(a: Integer | int) -> Integer:
    """Return ``sign(a)``: -1, 0 or 1."""
    a = as_integer(a)
    low, high = bounds(a)
    if low is not None and low > 0:
        return ONE
    if high is not None and high < 0:
        return -ONE
    if low == 0 and high == 0:
        return ZERO
    reduced = a.divided_exactly(gcd(*a.terms.values()))
    if prefers_sign(reduced):
        return of_operation(Sign(reduced))
    return -of_operation(Sign(-reduced))


@simplifies(Extremum)
def _extremum(largest: bool, candidates: Collection[Integer]) -> Integer:
    if not candidates:
        raise ValueError("the minimum and maximum of nothing are not defined")
    kept = _undominated(largest, list(dict.fromkeys(_flat(largest, candidates))))
    if len(kept) == 1:
        return kept[0]
    shift = min(candidate.constant_term for candidate in kept if candidate.value is None)
    kept = [candidate - shift for candidate in kept]
    common = gcd(*(coefficient for candidate in kept for coefficient in candidate.terms.values()))
    if common > 1:
        kept = [candidate.divided_exactly(common) for candidate in kept]
    if not any(prefers_sign(candidate) for candidate in kept if candidate.value is None):
        opposite = Extremum(not largest, frozenset(-candidate for candidate in kept))
        return of_operation(opposite).scaled(-common) + shift
    return of_operation(Extremum(largest, frozenset(kept))).scaled(common) + shift


def _flat(largest: bool, candidates: Iterable[Integer]) -> list[Integer]:
    """Take minima among the candidates of a minimum apart."""
    flat: list[Integer] = []
    for candidate in candidates:
        inner = _single_extremum(candidate)
        if inner is not None and inner[0].largest == largest:
            flat.extend(item + inner[1] for item in inner[0].candidates)
        elif inner is None and (opposite := _single_extremum(-candidate)) and opposite[0].largest != largest:
            flat.extend(-item - opposite[1] for item in opposite[0].candidates)
        else:
            flat.append(candidate)
    return flat


def _single_extremum(a: Integer) -> tuple[Extremum, int] | None:
    """Return the operation and the number added, if the integer is nothing else."""
    offset = a.constant_term
    if len(a.terms) != 1 + bool(offset):
        return None
    monomial, coefficient = next(item for item in a.terms.items() if item[0])
    atom, exponent = monomial[0]
    if coefficient == 1 and len(monomial) == 1 and exponent == 1 and isinstance(atom, Extremum):
        return atom, offset
    return None


def _undominated(largest: bool, candidates: list[Integer]) -> list[Integer]:
    """Leave out candidates that can never be the extremum alone."""
    if len(candidates) > MOST_CANDIDATES:
        return candidates
    kept: list[Integer] = []
    for candidate in candidates:
        if any(_reaches(largest, other, candidate) for other in kept):
            continue
        kept = [other for other in kept if not _reaches(largest, candidate, other)]
        kept.append(candidate)
    return kept


def _reaches(largest: bool, a: Integer, b: Integer) -> bool:
    """Return whether a is certainly at least as extreme as b."""
    low = bounds(a - b if largest else b - a)[0]
    return low is not None and low >= 0
