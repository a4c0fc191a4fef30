"""Arithmetic of closed integer intervals ``(low, high)``; None is an unbounded end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from snd_analysis.symbolic.limits import MOST_BITS

Interval: TypeAlias = tuple[int | None, int | None]

EVERYTHING: Interval = (None, None)

_LARGEST = 1 << MOST_BITS


def add(a: Interval, b: Interval) -> Interval:
    """Return all ``x + y``."""
    low = None if a[0] is None or b[0] is None else a[0] + b[0]
    high = None if a[1] is None or b[1] is None else a[1] + b[1]
    return low, high


def negate(a: Interval) -> Interval:
    """Return all ``-x``."""
    return (None if a[1] is None else -a[1]), (None if a[0] is None else -a[0])


def scale(a: Interval, factor: int) -> Interval:
    """Return all ``factor * x``."""
    if factor == 0:
        return 0, 0
    low, high = a if factor > 0 else (a[1], a[0])
    return _limited((None if low is None else low * factor), (None if high is None else high * factor))


def _limited(low: int | None, high: int | None) -> Interval:
    """Return the interval without ends that are too large, which would grow from operation to operation."""
    if low is not None and not -_LARGEST < low < _LARGEST:
        low = _LARGEST if low > 0 else None
    if high is not None and not -_LARGEST < high < _LARGEST:
        high = -_LARGEST if high < 0 else None
    return low, high


def union(intervals: Iterable[Interval]) -> Interval:
    """Return the smallest interval around at least one interval."""
    lows, highs = zip(*intervals, strict=True)
    return (None if None in lows else min(lows)), (None if None in highs else max(highs))


def intersection(a: Interval, b: Interval) -> Interval:
    """Return the intersection of both."""
    low = a[0] if b[0] is None or (a[0] is not None and a[0] >= b[0]) else b[0]
    high = a[1] if b[1] is None or (a[1] is not None and a[1] <= b[1]) else b[1]
    return low, high


def multiply(a: Interval, b: Interval) -> Interval:
    """Return all ``x * y``."""
    if a == (0, 0) or b == (0, 0):
        return 0, 0
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        return _limited(a[0] * b[0], (None if a[1] is None or b[1] is None else a[1] * b[1]))
    low = _largest_product(negate(a), b)
    return _limited((None if low is None else -low), _largest_product(a, b))


def _largest_product(a: Interval, b: Interval) -> int | None:
    """Return the supremum of ``x * y``: at one of the four corners."""
    largest: int | None = None
    for x, toward_high in ((a[0], False), (a[1], True)):
        for y, also_high in ((b[0], False), (b[1], True)):
            if x is not None and y is not None:
                product = x * y
            elif x is None and y is None:
                if toward_high == also_high:
                    return None
                continue
            else:
                finite, infinite_is_high = (y, toward_high) if x is None else (x, also_high)
                assert finite is not None
                if finite != 0 and (finite > 0) == infinite_is_high:
                    return None
                if finite != 0:
                    continue
                product = 0
            largest = product if largest is None else max(largest, product)
    return largest


def power(a: Interval, exponent: int) -> Interval:
    """Return all ``x ** exponent``, for a positive exponent."""
    if exponent == 1:
        return a
    if exponent % 2:
        return _raise(a[0], exponent), _raise(a[1], exponent)
    distance = absolute(a)
    low = _raise(distance[0], exponent)
    return (0 if low is None else low), _raise(distance[1], exponent)


def _raise(base: int | None, exponent: int) -> int | None:
    if base is None or base.bit_length() * exponent > MOST_BITS:
        return None
    return int(base**exponent)


def power_of_intervals(base: Interval, exponent: Interval) -> Interval:
    """Return all defined values ``x ** y``, which have ``y >= 0``."""
    low, high = base
    least, most = max(exponent[0] or 0, 0), exponent[1]
    if low is None or low < 0:
        extreme = absolute(base)[1]
        reach = None if extreme is None or most is None else _raise(max(extreme, 1), max(most, 0))
        return (None if reach is None else -reach), reach
    if low == 0:
        smallest: int | None = 1 if (most is not None and most <= 0) else 0
    else:
        smallest = _raise(low, least)
    largest = None if high is None or most is None else _raise(max(high, 1), max(most, 0))
    return (smallest if smallest is not None else 0), (1 if high is not None and high <= 1 else largest)


def absolute(a: Interval) -> Interval:
    """Return all ``|x|``."""
    low, high = a
    if low is not None and low >= 0:
        return a
    if high is not None and high <= 0:
        return negate(a)
    return 0, (None if low is None or high is None else max(-low, high))


def sign(a: Interval) -> Interval:
    """Return all signs: -1, 0 or 1."""
    low = -1 if a[0] is None or a[0] < 0 else min(a[0], 1)
    high = 1 if a[1] is None or a[1] > 0 else max(a[1], -1)
    return low, high


def floor_divide(a: Interval, b: Interval) -> Interval:
    """Return all ``floor(x / y)`` with ``y != 0``."""
    parts = []
    if b[1] is None or b[1] > 0:
        parts.append(_floor_divide_by_positive(a, (max(b[0] or 1, 1), b[1])))
    if b[0] is None or b[0] < 0:
        opposite = negate(b)
        parts.append(_floor_divide_by_positive(negate(a), (max(opposite[0] or 1, 1), opposite[1])))
    return union(parts) if parts else EVERYTHING


def _floor_divide_by_positive(a: Interval, b: tuple[int, int | None]) -> Interval:
    least, most = b
    return _end(a[0], most, least), _end(a[1], least, most)


def _end(value: int | None, when_positive: int | None, when_negative: int | None) -> int | None:
    """Return the extreme of ``value`` divided by either of two divisors; a divisor of None is infinitely large."""
    if value is None:
        return None
    divisor = when_positive if value >= 0 else when_negative
    if divisor is None:
        return 0 if value >= 0 else -1
    return value // divisor


def minimum(intervals: Iterable[Interval]) -> Interval:
    """Return all minima of one item from each."""
    lows, highs = zip(*intervals, strict=True)
    known = [high for high in highs if high is not None]
    return (None if None in lows else min(lows)), (min(known) if known else None)


def maximum(intervals: Iterable[Interval]) -> Interval:
    """Return all maxima of one item from each."""
    lows, highs = zip(*intervals, strict=True)
    known = [low for low in lows if low is not None]
    return (max(known) if known else None), (None if None in highs else max(highs))
