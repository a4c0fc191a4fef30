"""The values that the indices of a formula take together: bounds may name other indices, as in ``i < n, j < i``."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from msgspec import Struct

from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer


class _Range(Struct, frozen=True):
    """The first and the last value of an index; both may name indices that come later in ``IndexSpace.ranges``."""

    first: Integer
    last: Integer


class IndexSpace(Struct, frozen=True):
    """Ranges of indices, inner ones first: an index is eliminated before the indices that its range names.

    For each value of the outer indices inside their ranges, the range of an inner index has a value.
    """

    ranges: Mapping[Hashable, _Range | None]
    """The range of each index by the key of its variable; None where it has no exact form."""
    slacks: tuple[Integer, ...]
    """Values without indices that are not negative wherever the formula runs."""

    @property
    def never_runs(self) -> bool:
        """Return whether the index space has no point for any sizes."""
        highest = (shapes.bounds(slack)[1] for slack in self.slacks)
        return any(most is not None and most < 0 for most in highest)

    def extremes(self, value: Integer) -> tuple[Integer | None, Integer | None]:
        """Return the least and the greatest value that occur; None for a value that can't be determined."""
        least: Integer | None = value
        most: Integer | None = value
        for key, range_ in self.ranges.items():
            least = None if least is None else _at_end(least, key, range_, greatest=False)
            most = None if most is None else _at_end(most, key, range_, greatest=True)
        return least, most

    def is_negative(self, value: Integer) -> bool:
        """Return whether a value without indices is below 0 wherever the formula runs."""
        highest = (shapes.bounds(value + slack)[1] for slack in (shapes.constant(0), *self.slacks))
        return not self.never_runs and any(most is not None and most < 0 for most in highest)


def index_space(limits: Mapping[Hashable, Integer]) -> IndexSpace:
    """Return the index space in which each index takes the values from 0 to its limit, the limit excluded."""
    open_: dict[Hashable, _Range | None] = {key: _Range(shapes.constant(0), limit - 1) for key, limit in limits.items()}
    names = {key: shapes.variables(limit) & limits.keys() - {key} for key, limit in limits.items()}
    ranges: dict[Hashable, _Range | None] = {}
    slacks: list[Integer] = []
    while open_:
        needed = {name for key in open_ for name in names[key]}
        # Bounds name only indices that were declared before, so there is always an innermost index.
        key = next((each for each in open_ if each not in needed), next(iter(open_)))
        ranges[key] = range_ = open_.pop(key)
        if range_ is None:
            open_.update(dict.fromkeys(names[key] & open_.keys()))
            continue
        slack = range_.last - range_.first
        outer = shapes.variables(slack) & limits.keys()
        if not outer:
            slacks.append(slack)
            continue
        narrowed = _narrowed(open_, next(iter(outer)), slack) if len(outer) == 1 else None
        open_.update(dict.fromkeys(outer & open_.keys()) if narrowed is None else narrowed)
    return IndexSpace(ranges, tuple(slacks))


def _narrowed(
    open_: Mapping[Hashable, _Range | None], key: Hashable, slack: Integer
) -> dict[Hashable, _Range | None] | None:
    """Return the range of an index in which ``slack``, which names no other index, is not negative.

    None if the range has no exact form.
    """
    range_, form = open_.get(key), shapes.as_affine(slack, key)
    if range_ is None or form is None or form[0] not in (1, -1):
        return None
    factor, rest = form
    if factor == 1:
        first = _greater(range_.first, rest.scaled(-1))
        return None if first is None else {key: _Range(first, range_.last)}
    last = _greater(range_.last.scaled(-1), rest.scaled(-1))
    return None if last is None else {key: _Range(range_.first, last.scaled(-1))}


def _greater(one: Integer, other: Integer) -> Integer | None:
    """Return the greater of two values; None if that depends on sizes."""
    if shapes.compare(">=", one, other) is TRUE:
        return one
    return other if shapes.compare(">=", other, one) is TRUE else None


def _at_end(value: Integer, key: Hashable, range_: _Range | None, *, greatest: bool) -> Integer | None:
    if key not in shapes.variables(value):
        return value
    form = shapes.as_affine(value, key)
    if form is None or range_ is None:
        return None
    end = range_.last if (form[0] > 0) is greatest else range_.first
    return shapes.substitute(value, {key: end})
