"""Attributes about extents that depend on symbols, as tract reads them.

The meaning of an extent of ``reshape`` or a bound of ``slice`` depends on its sign. tract decides that for numbers
only: a value that depends on a symbol is a count, or an offset from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from msgspec import Struct

from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, ItemList, is_computed
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import TRUE, Integer

_NONE = integers.constant(0)


def with_resolved_bounds(operation: str, given: Mapping[str, Given]) -> Mapping[str, Given]:
    """Return the arguments of an invocation, with bounds that depend on symbols resolved."""
    match operation:
        case "reshape":
            return _reshape(given)
        case "slice":
            return _slice(given)
    return given


def _reshape(given: Mapping[str, Given]) -> Mapping[str, Given]:
    """Replace an item of -1 by the quotient that the other items leave without a remainder."""
    parts = _reshaped(given)
    left = None if parts is None else integers.exact_quotient(parts.volume, parts.others)
    if parts is None or left is None or is_computed(given["shape"].value):
        return given
    extents = [left if each.value == -1 else each for each in parts.extents]
    return {**given, "shape": Given(ItemList(tuple(extents)), given["shape"].span)}


class _Reshaped(Struct, frozen=True):
    """The parts of a ``reshape`` whose extents depend on symbols and include one -1."""

    extents: list[Integer]
    volume: Integer
    others: Integer
    """The product of the extents that are not -1."""


def parts_of_reshape(given: Mapping[str, Given]) -> tuple[Integer, Integer] | None:
    """Return the dividend and divisor of an item of -1; None if there is none, or it depends on no symbol."""
    parts = _reshaped(given)
    return None if parts is None else (parts.volume, parts.others)


def _reshaped(given: Mapping[str, Given]) -> _Reshaped | None:
    shape, wanted = _extents_of(given.get("input")), _integers(given.get("shape"))
    start, count = _number(given, "axis_start", 0), _number(given, "axis_count", -1)
    if shape is None or wanted is None or start is None or count is None or not 0 <= start <= len(shape):
        return None
    replaced = shape[start:] if count == -1 else shape[start : start + count]
    values = [each.value for each in wanted]
    if values.count(-1) != 1 or not _depend_on_symbols([*replaced, *wanted]):
        return None
    if any(value == 0 and at >= len(replaced) for at, value in enumerate(values)):
        return None
    extents = [
        replaced[at] if value == 0 else each for at, (each, value) in enumerate(zip(wanted, values, strict=True))
    ]
    one = integers.constant(1)
    others = prod((each for each in extents if each.value != -1), start=one)
    return _Reshaped(extents, prod(replaced, start=one), others)


def _slice(given: Mapping[str, Given]) -> Mapping[str, Given]:
    """Resolve bounds that depend on symbols: they count from the beginning."""
    shape = _extents_of(given.get("input"))
    axes, begins, ends = (_integers(given.get(name)) for name in ("axes", "begin", "end"))
    if shape is None or axes is None or begins is None or ends is None or not len(axes) == len(begins) == len(ends):
        return given
    if not _depend_on_symbols([*begins, *ends]) or any(each.value not in range(len(shape)) for each in axes):
        return given
    limits = [shape[axis.value] for axis in axes if axis.value is not None]
    rows = [*zip(begins, ends, limits, strict=True)]
    bounds = {
        "begin": [begin + limit if _is_below(begin, 0) else begin for begin, _, limit in rows],
        "end": [_end(begin, end, limit) for begin, end, limit in rows],
    }
    resolved = {name: Given(ItemList(tuple(values)), given[name].span) for name, values in bounds.items()}
    return {**given, **resolved, "exact": Given(TRUE, given["end"].span)}


def _end(begin: Integer, end: Integer, limit: Integer) -> Integer:
    if begin.value == 0 and end.value == 0:
        return _NONE
    return end + limit if _is_below(end, 1) else end


def _is_below(number: Integer, bound: int) -> bool:
    return number.value is not None and number.value < bound


def _depend_on_symbols(numbers: Sequence[Integer]) -> bool:
    return any(each.value is None for each in numbers)


def _extents_of(given: Given | None) -> list[Integer] | None:
    tensor = given.value.tensor if given is not None and isinstance(given.value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    extents = [each for each in shape if isinstance(each, Integer)]
    return None if tensor is None or tensor.shape is None or len(extents) != len(shape) else extents


def _integers(given: Given | None) -> list[Integer] | None:
    value: ElaboratedValue | None = None if given is None else plain(given.value)
    items = value.values if isinstance(value, ItemList) else () if value is None else (value,)
    found = [each for each in items if isinstance(each, Integer)]
    return found if items and len(found) == len(items) else None


def _number(given: Mapping[str, Given], name: str, default: int) -> int | None:
    if name not in given:
        return default
    value = plain(given[name].value)
    return value.value if isinstance(value, Integer) else None
