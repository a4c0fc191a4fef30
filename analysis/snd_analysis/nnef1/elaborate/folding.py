"""Small tensors of integers whose items are known during elaboration.

Exporters compute with extents by operations: ``tract_core_shape_of``, then ``slice``, ``add``, ``concat``, then an
attribute. Such values are evaluated here, symbolically, and become statements only where a tensor is needed. Divisions
of extents as reals are evaluated, too, where the extents are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from struct import pack, unpack

from msgspec.structs import replace

from snd_analysis.nnef1.elaborate.arithmetic import OperandError, binary, cast, unary
from snd_analysis.nnef1.elaborate.items.item_types import Given, dtype_of_tract
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, InTract, ItemList, KnownItems, tensors_in
from snd_analysis.nnef1.limits import MOST_KNOWN_ITEMS
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import FALSE, TRUE, DivisionByZero, Integer, NegativeExponent, Truth

_Given = Mapping[str, Given]


def folded(operation: str, given: _Given) -> KnownItems | tuple[KnownItems, ...] | None:
    """Return the result of an operation on known integers; None if it must stay an operation of the graph."""
    fold = _FOLDS.get(operation)
    if fold is None:
        return None
    try:
        found = fold(given)
    except _UNFOLDABLE:
        return None  # the operator reports lists that do not fit each other
    parts = found if isinstance(found, tuple) else (found,)
    if not all(_is_small(each) for each in parts):
        return None
    in_tract = _in_tract(operation, given, parts)
    told = tuple(replace(each, in_tract=in_tract) for each in parts)
    return told if isinstance(found, tuple) else told[0]


def _in_tract(operation: str, given: _Given, found: Sequence[KnownItems]) -> InTract:
    """Return how tract holds a result: it evaluates extents, but no values of another type that depend on symbols."""
    if operation == "tract_core_shape_of":
        return InTract.EXTENTS
    values = [each.value for each in given.values()]
    operands = {each.known.in_tract for value in values for each in tensors_in(value) if each.known is not None}
    if InTract.COMPUTED in operands:
        return InTract.COMPUTED
    items = [item for part in found for item in part.items]
    of_symbols = any(_is_of_symbols(item) for item in items)
    if operation == "tract_core_cast":
        is_extent = str(given["to"].value).lower() == "tdim"
    else:
        # A literal is an extent, and makes one of its other operand; attributes such as 'axis' have other names.
        literals = (given[name].value for name in ("x", "y") if name in given)
        symbols = (each for each in values if isinstance(each, Integer) and each.value is None)
        is_extent = InTract.EXTENTS in operands or any(symbols) or any(isinstance(each, Integer) for each in literals)
    if is_extent and all(isinstance(item, Integer) for item in items):
        return InTract.EXTENTS
    return InTract.COMPUTED if of_symbols else InTract.NUMBERS


def _is_of_symbols(item: ElaboratedValue) -> bool:
    match item:
        case Integer():
            return item.value is None
        case Truth():
            return item is not TRUE and item is not FALSE
    return False


def known_of(value: ElaboratedValue) -> KnownItems | None:
    """Return the items of a tensor, or of a literal in its place, if they are known."""
    match value:
        case GraphTensor(known=known):
            return known
        case Integer() | Truth():
            return KnownItems((), (value,))
        case ItemList(values=values, is_tuple=False) if values:
            rows = [known_of(each) for each in values]
            found = [row for row in rows if row is not None]
            if len(found) == len(rows) and len({row.shape for row in found}) == 1:
                return KnownItems((len(found), *found[0].shape), tuple(item for row in found for item in row.items))
    return None


def plain(value: ElaboratedValue) -> ElaboratedValue:
    """Return a value with known tensors replaced by their items: a single item, or an array."""
    match value:
        case GraphTensor(known=KnownItems(shape=(), items=(item,))):
            return item
        case GraphTensor(known=KnownItems(shape=(_,), items=items)):
            return ItemList(items)
        case ItemList(values=values):
            return ItemList(tuple(map(plain, values)), value.is_tuple)
    return value


class _Unfoldable(Exception):  # noqa: N818
    """An unknown value, or an operation that is not folded."""


_UNFOLDABLE = (
    OperandError, DivisionByZero, NegativeExponent, IndexError, KeyError, OverflowError, ValueError, _Unfoldable,
)  # fmt: skip


def _is_small(known: KnownItems) -> bool:
    return len(known.items) <= MOST_KNOWN_ITEMS and all(
        isinstance(item, Integer | Truth | float) for item in known.items
    )


# ---- arguments -------------------------------------------------------------------------------------------------------
def _known(given: _Given, name: str) -> KnownItems:
    return _demanded(known_of(given[name].value))


def _demanded(known: KnownItems | None) -> KnownItems:
    if known is None:
        raise _Unfoldable
    return known


def _all_known(given: _Given, name: str) -> list[KnownItems]:
    value = given[name].value
    if not isinstance(value, ItemList):
        raise _Unfoldable
    return [_demanded(known_of(each)) for each in value.values]


def _numbers(given: _Given, name: str, default: Sequence[int] | None = None) -> list[int]:
    if name not in given and default is not None:
        return list(default)
    value = plain(given[name].value)
    items = value.values if isinstance(value, ItemList) else (value,)
    found = [item.value for item in items if isinstance(item, Integer) and item.value is not None]
    if len(found) != len(items):
        raise _Unfoldable
    return found


def _axes(given: _Given, name: str, rank: int, default: Sequence[int] | None = None) -> list[int]:
    """Return dimensions of a tensor of a rank. The operator reports invalid ones."""
    axes = _numbers(given, name, default)
    if not all(0 <= axis < rank for axis in axes):
        raise _Unfoldable
    return axes


# ---- operations ------------------------------------------------------------------------------------------------------
def _shape_of(given: _Given) -> KnownItems:
    value = given["input"].value
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    extents = tuple(each for each in shape if isinstance(each, Integer))
    if tensor is None or tensor.shape is None or len(extents) != len(shape):
        raise _Unfoldable
    return KnownItems((len(extents),), extents)


def _cast(given: _Given) -> KnownItems:
    known, to = _known(given, "input"), given["to"].value
    name = _CASTS.get(dtype_of_tract(to) if isinstance(to, str) else None)
    if name is None:
        raise _Unfoldable
    return KnownItems(known.shape, tuple(_rounded(cast(name, each)) for each in known.items))


def _rounded(value: ElaboratedValue) -> ElaboratedValue:
    """Return a real rounded to 32 bits; other values unchanged."""
    return unpack("f", pack("f", value))[0] if isinstance(value, float) else value


def _same(given: _Given) -> KnownItems:
    return _known(given, "x")


def _whole(choose: Callable[[float], int]) -> Callable[[_Given], KnownItems]:
    def fold(given: _Given) -> KnownItems:
        known = _known(given, "x")
        return KnownItems(
            known.shape, tuple(float(choose(each)) if isinstance(each, float) else each for each in known.items)
        )

    return fold


def _unary(operator: str) -> Callable[[_Given], KnownItems]:
    def fold(given: _Given) -> KnownItems:
        known = _known(given, "x")
        return KnownItems(known.shape, tuple(unary(operator, each) for each in known.items))

    return fold


def _binary(compute: Callable[[ElaboratedValue, ElaboratedValue], ElaboratedValue]) -> Callable[[_Given], KnownItems]:
    def fold(given: _Given) -> KnownItems:
        left, right = _operands(given)
        shape = _broadcast(left.shape, right.shape)
        pairs = zip(_spread(left, shape), _spread(right, shape), strict=True)
        return KnownItems(shape, tuple(compute(one, other) for one, other in pairs))

    return fold


def _operands(given: _Given) -> tuple[KnownItems, KnownItems]:
    """Return both operands; a scalar in the text counts beside reals that are computed of extents."""
    found = [known_of(given[name].value) for name in ("x", "y")]
    for at, name in enumerate(("x", "y")):
        value, other = given[name].value, found[1 - at]
        if isinstance(value, float) and other is not None:
            found[at] = KnownItems((), (value,))
    return _demanded(found[0]), _demanded(found[1])


def _operator(operator: str) -> Callable[[_Given], KnownItems]:
    return _binary(lambda left, right: _rounded(binary(operator, left, right)))


def _extreme(choose: Callable[[Integer, Integer], Integer]) -> Callable[[_Given], KnownItems]:
    def compute(left: ElaboratedValue, right: ElaboratedValue) -> ElaboratedValue:
        if not isinstance(left, Integer) or not isinstance(right, Integer):
            raise _Unfoldable
        return choose(left, right)

    return _binary(compute)


def _select(given: _Given) -> KnownItems:
    parts = [_known(given, name) for name in ("condition", "true_value", "false_value")]
    shape = _broadcast(_broadcast(parts[0].shape, parts[1].shape), parts[2].shape)
    rows = zip(*(_spread(each, shape) for each in parts), strict=True)
    return KnownItems(shape, tuple(_chosen(*row) for row in rows))


def _chosen(condition: ElaboratedValue, one: ElaboratedValue, other: ElaboratedValue) -> ElaboratedValue:
    if condition is TRUE or condition is FALSE:
        return one if condition is TRUE else other
    if not isinstance(condition, Truth) or not isinstance(one, Integer) or not isinstance(other, Integer):
        raise _Unfoldable
    return integers.choose(condition, one, other)


def _reshape(given: _Given) -> KnownItems:
    known = _known(given, "input")
    if {"axis_start", "axis_count"} & given.keys():
        raise _Unfoldable
    wanted = _numbers(given, "shape")
    shape = [known.shape[at] if extent == 0 else extent for at, extent in enumerate(wanted)]
    if shape.count(-1) == 1:
        rest = prod(extent for extent in shape if extent != -1)
        shape[shape.index(-1)] = len(known.items) // max(rest, 1)
    if prod(shape) != len(known.items) or min(shape, default=0) < 0:
        raise _Unfoldable
    return KnownItems(tuple(shape), known.items)


def _squeeze(given: _Given) -> KnownItems:
    known = _known(given, "input")
    axes = _axes(given, "axes", len(known.shape))
    if any(known.shape[axis] != 1 for axis in axes):
        raise _Unfoldable
    return KnownItems(tuple(extent for at, extent in enumerate(known.shape) if at not in axes), known.items)


def _unsqueeze(given: _Given) -> KnownItems:
    known = _known(given, "input")
    shape = list(known.shape)
    for axis in sorted(_axes(given, "axes", len(shape) + len(_numbers(given, "axes")))):
        shape.insert(axis, 1)
    return KnownItems(tuple(shape), known.items)


def _slice(given: _Given) -> KnownItems:
    known = _known(given, "input")
    axes = _axes(given, "axes", len(known.shape))
    count = len(axes)
    begins, ends = _numbers(given, "begin"), _numbers(given, "end")
    strides = _numbers(given, "stride", [1] * count)
    for axis, begin, end, stride in zip(axes, begins, ends, strides, strict=True):
        extent = known.shape[axis]
        if stride < 1:
            raise _Unfoldable
        first = begin + extent if begin < 0 else begin
        last = extent if end == 0 else end + extent if end < 0 else end
        if last < first:
            raise _Unfoldable
        known = _taken(known, axis, range(first, min(last, extent), stride))
    return known


def _dyn_slice(given: _Given) -> KnownItems:
    known, (axis,) = _known(given, "input"), _numbers(given, "axis")
    (start,), (length,) = _numbers(given, "start"), _numbers(given, "len")
    return _taken(known, axis, range(start, start + length))


def _clamp(given: _Given) -> KnownItems:
    known, low, high = (_known(given, name) for name in ("x", "a", "b"))
    shape = _broadcast(_broadcast(known.shape, low.shape), high.shape)
    rows = zip(*(_spread(each, shape) for each in (known, low, high)), strict=True)
    return KnownItems(shape, tuple(_clamped(*row) for row in rows))


def _clamped(*row: ElaboratedValue) -> ElaboratedValue:
    if not all(isinstance(each, Integer) for each in row):
        raise _Unfoldable
    value, low, high = (each for each in row if isinstance(each, Integer))
    return integers.maximum(integers.minimum(value, high), low)


def _concat(given: _Given) -> KnownItems:
    parts = _all_known(given, "values")
    (axis,) = _axes(given, "axis", min((len(each.shape) for each in parts), default=0))
    pieces = [_taken(part, axis, [at]) for part in parts for at in range(part.shape[axis])]
    return _stacked([KnownItems((*each.shape[:axis], *each.shape[axis + 1 :]), each.items) for each in pieces], axis)


def _stack(given: _Given) -> KnownItems:
    parts = _all_known(given, "values")
    (axis,) = _axes(given, "axis", 1 + min((len(each.shape) for each in parts), default=0))
    return _stacked(parts, axis)


def _unstack(given: _Given) -> tuple[KnownItems, ...]:
    known = _known(given, "value")
    (axis,) = _axes(given, "axis", len(known.shape))
    rows = (_taken(known, axis, [at]) for at in range(known.shape[axis]))
    return tuple(KnownItems((*row.shape[:axis], *row.shape[axis + 1 :]), row.items) for row in rows)


def _gather(given: _Given) -> KnownItems:
    known, indices = _known(given, "input"), _known(given, "indices")
    (axis,) = _axes(given, "axis", len(known.shape), [0])
    at = [each.value for each in indices.items if isinstance(each, Integer) and each.value is not None]
    if len(at) != len(indices.items) or len(indices.shape) > 1:
        raise _Unfoldable
    taken = _taken(known, axis, [each + known.shape[axis] if each < 0 else each for each in at])
    return KnownItems((*taken.shape[:axis], *indices.shape, *taken.shape[axis + 1 :]), taken.items)


def _reduced(operator: str, first: int) -> Callable[[_Given], KnownItems]:
    def fold(given: _Given) -> KnownItems:
        known = _known(given, "input")
        if "normalize" in given:
            raise _Unfoldable
        for axis in _axes(given, "axes", len(known.shape)):
            shape = (*known.shape[:axis], 1, *known.shape[axis + 1 :])
            found: list[ElaboratedValue] = [integers.constant(first)] * prod(shape)
            for at, item in zip(product(*map(range, known.shape)), known.items, strict=True):
                place = _place((*at[:axis], 0, *at[axis + 1 :]), shape)
                found[place] = binary(operator, found[place], item)
            known = KnownItems(shape, tuple(found))
        return known

    return fold


# ---- items by their places -------------------------------------------------------------------------------------------
def _place(at: Sequence[int], shape: Sequence[int]) -> int:
    place = 0
    for index, extent in zip(at, shape, strict=True):
        place = place * extent + index
    return place


def _taken(known: KnownItems, axis: int, at: Sequence[int]) -> KnownItems:
    if any(not 0 <= each < known.shape[axis] for each in at):
        raise _Unfoldable
    shape = (*known.shape[:axis], len(at), *known.shape[axis + 1 :])
    places = product(*(at if number == axis else range(extent) for number, extent in enumerate(shape)))
    return KnownItems(shape, tuple(known.items[_place(place, known.shape)] for place in places))


def _stacked(parts: Sequence[KnownItems], axis: int) -> KnownItems:
    if len({part.shape for part in parts}) != 1:
        raise _Unfoldable
    inner = parts[0].shape
    shape = (*inner[:axis], len(parts), *inner[axis:])
    places = product(*map(range, shape))
    return KnownItems(
        shape, tuple(parts[at[axis]].items[_place((*at[:axis], *at[axis + 1 :]), inner)] for at in places)
    )


def _broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(one), len(other))
    rows = [(*shape, *(1,) * (rank - len(shape))) for shape in (one, other)]
    if any(a != b and 1 not in (a, b) for a, b in zip(*rows, strict=True)):
        raise _Unfoldable
    return tuple(b if a == 1 else a for a, b in zip(*rows, strict=True))


def _spread(known: KnownItems, shape: tuple[int, ...]) -> list[ElaboratedValue]:
    own = (*known.shape, *(1,) * (len(shape) - len(known.shape)))
    places = product(*map(range, shape))
    return [
        known.items[_place([0 if extent == 1 else index for index, extent in zip(at, own, strict=True)], own)]
        for at in places
    ]


_CASTS: Mapping[str | None, str] = {"int": "integer", "bool": "logical", "real": "scalar"}
_FOLDS: Mapping[str, Callable[[_Given], KnownItems | tuple[KnownItems, ...]]] = {
    "tract_core_shape_of": _shape_of,
    "tract_core_cast": _cast,
    "copy": _same,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _whole(lambda value: int(math.copysign(math.floor(abs(value) + 0.5), value))),
    "neg": _unary("-"),
    "not": _unary("!"),
    "add": _operator("+"),
    "sub": _operator("-"),
    "mul": _operator("*"),
    "div": _operator("/"),
    "lt": _operator("<"),
    "gt": _operator(">"),
    "le": _operator("<="),
    "ge": _operator(">="),
    "eq": _operator("=="),
    "ne": _operator("!="),
    "and": _operator("&&"),
    "or": _operator("||"),
    "min": _extreme(integers.minimum),
    "max": _extreme(integers.maximum),
    "clamp": _clamp,
    "select": _select,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "slice": _slice,
    "tract_core_dyn_slice": _dyn_slice,
    "concat": _concat,
    "stack": _stack,
    "unstack": _unstack,
    "tract_core_gather": _gather,
    "sum_reduce": _reduced("+", 0),
    "tract_core_product_reduce": _reduced("*", 1),
}
