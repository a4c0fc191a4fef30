"""Demands of operations on their arguments beyond those of their operators: on known values, or in one dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Edit, Repair, Span
from snd_analysis.nnef1.elaborate.extents.refused import has_no_quotient, is_refused, is_symbolic
from snd_analysis.nnef1.elaborate.extents.symbolic_bounds import parts_of_reshape
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.values import (
    ElaboratedValue,
    GraphTensor,
    InTract,
    ItemList,
    flattened,
    is_computed,
    tensors_in,
)
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.symbolic.integers import Integer, constant

_WITH_BIAS = frozenset(["conv", "deconv", "separable_conv", "separable_deconv"])
_REDUCTIONS = frozenset(
    [
        *(f"{each}_reduce" for each in ("sum", "mean", "max", "min", "argmax", "argmin", "any", "all")),
        *(f"tract_core_{each}" for each in ("product_reduce", "argmax_reduce_last", "argmin_reduce_last")),
        "moments", "l1_normalization", "l2_normalization",
    ]
)  # fmt: skip
"""Operations that tract computes by a reduction over the axes in the written order."""
_NOT_OF_EXTENTS = frozenset(
    [
        *_REDUCTIONS - {"any_reduce", "all_reduce"},
        *("abs", "sign", "square", "relu", "pad", "tract_core_cumsum", "tract_shl", "tract_shr"),
        *(f"tract_core_bit{each}" for each in ("not", "and", "or", "xor")),
    ]
)
"""Operations that tract does with numbers, but not with extents."""
_NUMBERS = frozenset(
    ["axes", "axis", "axis_start", "axis_count", "padding", "size", "dilation", "groups", "factor", "dim"]
)
"""Attributes in which tract takes no symbols."""
_WRITABLE = re.compile(r"[\w\s+*-]+")
"""Extents as tract reads them."""
_WITH_RANGE = frozenset(["linear_quantize", "min_max_linear_quantize"])

_POOLS = frozenset(["box", "max_pool", "max_pool_with_index", "avg_pool", "rms_pool"])
"""Operations for which tract must know the number of channels."""


_ALONG = {
    "concat": ("values", 0), "split": ("value", 0), "unstack": ("value", 0), "stack": ("values", 1),
    "tract_core_gather": ("input", 0),
}  # fmt: skip
"""Operations along an axis: the tensors that have it, and how many dimensions more the result has that has it."""


class Demand(Struct, frozen=True):
    """A demand that an argument violates."""

    span: Span
    message: str
    repair: Repair | None = None


def demands(operation: str, given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """Yield the violated demands of an operation on its arguments."""
    if operation in _WITH_BIAS and dialect is Dialect.KHRONOS:
        yield from _rank_of_bias(given)
    if operation in _WITH_RANGE:
        yield from _range(given)
    if operation in _ALONG:
        yield from _dimension(given, *_ALONG[operation])
    if operation == "pad":
        yield from _other_border(given, dialect)
    if operation == "deconv":
        yield from _layout(given, dialect)
    if dialect is Dialect.TRACT:
        yield from _of_tract(operation, given)


def _of_tract(operation: str, given: Mapping[str, Given]) -> Iterator[Demand]:
    """Yield arguments that NNEF 1.0 allows, but tract does not load."""
    match operation:
        case "conv":
            yield from _known_filter(given)
            yield from _border_of_tract(given)
            yield from _filters_of_each_channel(given)
        case "deconv":
            yield from _known_filter(given)
            yield from _automatic_padding(given)
        case "reshape":
            yield from _known_to_tract(given)
            yield from _divisible(given)
        case "tract_core_broadcast":
            yield from _known_to_tract(given)
        case "concat" | "stack":
            yield from _equal_parts(operation, given)
        case "squeeze":
            yield from _extents_of_1(given)
        case "unstack":
            yield from _known_count(given)
        case "slice":
            yield from _begin_from_the_end(given)
            yield from _end_from_the_end(given)
            yield from _single_bounds(given)
        case "tract_core_resize":
            yield from _whole_scales(given)
        case "tract_transformers_sdpa":
            yield from _mask_of_reals(given)
            yield from _known_attention(given)
    yield from _known_numbers(given)
    if operation in _REDUCTIONS:
        yield from _order_of_axes(given)
    if operation in _POOLS:
        yield from _number_of_channels(given)
    if operation in _NOT_OF_EXTENTS:
        yield from _no_extents(operation, given)


def _mask_of_reals(given: Mapping[str, Given]) -> Iterator[Demand]:
    """Demand a mask of scalars: tract loads another mask, and fails when it prepares the model."""
    mask = given.get("mask")
    if mask is None or item_type(mask.value) not in ("bool", "int"):
        return
    message = "tract adds the mask to the scores, so it must be of scalars"
    if item_type(mask.value) == "int":
        yield Demand(mask.span, message)
        return
    before, after = (Span(at, at) for at in (mask.span.start, mask.span.end))
    edits = (Edit(before, "select("), Edit(after, ", 0.0, -inf)"))
    repair = None if mask.written is None else Repair("Write 'select(…, 0.0, -inf)'", edits)
    yield Demand(mask.span, f"{message}: 0.0 where this is true, -inf elsewhere", repair)


def _known_attention(given: Mapping[str, Given]) -> Iterator[Demand]:
    """Demand that tract can prove the batches, lengths and extents of attention, and knows the heads."""
    q, k, v = (_shape_of(given[name].value) for name in ("q", "k", "v"))
    if q is None or k is None or v is None or not len(q) == len(k) == len(v) or len(q) not in (3, 4):
        return
    if len(q) == 4:
        unknown = next((pair for pair in (("q", q), ("k", k), ("v", v)) if is_symbolic(pair[1][1])), None)
        if unknown is not None:
            name, extents = unknown
            hint = f"; are its axes 1 and 2 exchanged? Axis 2 has {extents[2]}" if extents[2].value is not None else ""
            message = f"tract must know the number of heads, but axis 1 of '{name}' has the extent {extents[1]}{hint}"
            yield Demand(given[name].span, message)
            return
    for one, axis, other, extents in (("q", 0, "k", k), ("q", 0, "v", v), ("q", -1, "k", k), ("k", -2, "v", v)):
        own = {"q": q, "k": k}[one][axis]
        if is_refused(own - extents[axis]):
            at = axis % len(q)
            message = (
                f"tract does not load this: '{one}' has the extent {own} along axis {at}, '{other}' {extents[axis]}"
            )
            yield Demand(given[other].span, message)
            return


def _shape_of(value: ElaboratedValue) -> Sequence[Integer] | None:
    """Return the extents of a tensor, symbolic ones too; None if its shape is unknown."""
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    found = [each for each in shape if isinstance(each, Integer)]
    return found if tensor is not None and tensor.shape is not None and len(found) == len(shape) else None


def _rank_of_bias(given: Mapping[str, Given]) -> Iterator[Demand]:
    bias = given.get("bias")
    shape = None if bias is None else _shape(bias.value)
    if bias is None or not shape or (len(shape) == 1 and shape[0] != "1"):
        return  # the parser of Khronos takes a bias of one dimension
    if len(shape) != 2 or shape[0] != "1":
        yield Demand(bias.span, f"the bias must have the extents [1, channels], but has [{', '.join(shape)}]")


def _range(given: Mapping[str, Given]) -> Iterator[Demand]:
    least, greatest = given["min"], given["max"]
    if isinstance(least.value, float) and isinstance(greatest.value, float) and not least.value < greatest.value:
        message = f"'min' must be less than 'max', but they are {least.value} and {greatest.value}"
        yield Demand(greatest.span, message)


def _dimension(given: Mapping[str, Given], name: str, more: int) -> Iterator[Demand]:
    """Demand an axis within the common rank of the tensors, or within that of a result with ``more`` dimensions."""
    axes = _numbers(given["axis"].value) if "axis" in given else []
    shapes = [each.tensor.shape for each in tensors_in(given[name].value) if each.tensor is not None]
    ranks = {None if shape is None else len(shape) for shape in shapes}
    rank = ranks.pop() if len(ranks) == 1 else None
    if axes and rank is not None and not 0 <= axes[0] < rank + more:
        of = "the output" if more else f"'{name}'"
        dimensions = f"from 0 to {rank + more - 1}" if rank + more else "which has none"
        yield Demand(given["axis"].span, f"'axis' must be a dimension of {of}, {dimensions}; got {axes[0]}")


def _shape(value: ElaboratedValue) -> tuple[str, ...] | None:
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    return None if tensor is None or tensor.shape is None else tuple(map(str, tensor.shape))


_BORDERS = {Dialect.TRACT: ("replicate", "replicated"), Dialect.KHRONOS: ("replicated", "replicate")}
"""The two names of the border that repeats the outermost items: the other dialect's, then this dialect's."""


def _other_border(given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    border = given.get("border")
    other, own = _BORDERS[dialect]
    if border is not None and border.value == other:
        who = "tract calls" if dialect is Dialect.TRACT else "NNEF 1.0 calls"
        repair = Repair(f"Write '{own}'", (Edit(border.span, f"'{own}'"),))
        yield Demand(border.span, f"{who} the border '{other}' '{own}'", repair)


def _border_of_tract(given: Mapping[str, Given]) -> Iterator[Demand]:
    border = given.get("border")
    if border is not None and isinstance(border.value, str) and border.value != "constant":
        message = f"tract convolves with the border 'constant' only: with '{border.value}' its process ends"
        yield Demand(border.span, message)


def _order_of_axes(given: Mapping[str, Given]) -> Iterator[Demand]:
    axes = given["axes"]
    written = _numbers(axes.value)
    if written != sorted(written) and len(set(written)) == len(written):
        ordered = f"[{', '.join(map(str, sorted(written)))}]"
        message = f"tract takes 'axes' in ascending order only: {ordered} for {written}"
        repair = None if axes.written is None else Repair(f"Write '{ordered}'", (Edit(axes.span, ordered),))
        yield Demand(axes.span, message, repair)


def _number_of_channels(given: Mapping[str, Given]) -> Iterator[Demand]:
    argument = given["input"]
    tensor = argument.value.tensor if isinstance(argument.value, GraphTensor) else None
    channels = tensor.shape[1] if tensor is not None and tensor.shape is not None and len(tensor.shape) > 1 else None
    if isinstance(channels, Integer) and channels.value is None:
        yield Demand(argument.span, f"tract pools over a known number of channels only, but this has {channels}")


def _begin_from_the_end(given: Mapping[str, Given]) -> Iterator[Demand]:
    begin, axes, shape = given["begin"], _numbers(given["axes"].value), _extents(given["input"].value)
    at = next((at for at, each in enumerate(_numbers(begin.value)) if each < 0), None)
    if at is None:
        return
    extent = shape[axes[at]] if shape is not None and at < len(axes) and 0 <= axes[at] < len(shape) else None
    first = _numbers(begin.value)[at]
    instead = f"write {extent + first} for {first}" if extent is not None and extent + first >= 0 else f"not {first}"
    yield Demand(begin.span, f"tract counts 'begin' from the first item only: {instead}")


def _end_from_the_end(given: Mapping[str, Given]) -> Iterator[Demand]:
    """End that count from the end of a symbolic extent: tract takes them for numbers, and fails when it runs."""
    end, shape = given["end"], _symbolic_extents(given["input"].value)
    axes, begins, ends = (_numbers(given[name].value) for name in ("axes", "begin", "end"))
    if not len(axes) == len(begins) == len(ends) or any(not 0 <= axis < len(shape) for axis in axes):
        return
    written = [str(each) for each in ends]
    for at, (axis, first, last) in enumerate(zip(axes, begins, ends, strict=True)):
        extent = shape[axis]
        if extent is not None and last <= 0 and (first, last) != (0, 0):
            written[at] = str(extent + last)
    changed = [at for at, each in enumerate(written) if each != str(ends[at])]
    if not changed:
        return
    instead = f"[{', '.join(written)}]"
    message = f"tract counts 'end' from the first item where the extent is a symbol: write {instead} for {ends}"
    is_writable = end.written is not None and all(_WRITABLE.fullmatch(written[at]) for at in changed)
    yield Demand(end.span, message, Repair(f"Write '{instead}'", (Edit(end.span, instead),)) if is_writable else None)


def _symbolic_extents(value: ElaboratedValue) -> list[Integer | None]:
    """Return the extents of a tensor; None for each that does not depend on symbols in a known way."""
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    return [each if isinstance(each, Integer) and is_symbolic(each) else None for each in shape]


def _known_numbers(given: Mapping[str, Given]) -> Iterator[Demand]:
    for name in _NUMBERS & given.keys():
        found = next(filter(is_symbolic, flattened((plain(given[name].value),))), None)
        if found is not None:
            message = f"tract takes numbers for '{name}' only, but this depends on a symbol: {found}"
            yield Demand(given[name].span, message)


def _whole_scales(given: Mapping[str, Given]) -> Iterator[Demand]:
    scales = _items(plain(given["scales"].value)) if "scales" in given else ()
    for extent, scale in zip(_symbolic_extents(given["input"].value), scales, strict=False):
        if extent is not None and isinstance(scale, float) and not scale.is_integer():
            message = f"tract resizes an extent that is a symbol by whole numbers only, but {extent} by {scale}"
            yield Demand(given["scales"].span, message)
            return


def _single_bounds(given: Mapping[str, Given]) -> Iterator[Demand]:
    """Demand single numbers as items of a bound: a tensor of one number in an array makes it a matrix."""
    for name in ("begin", "end"):
        tensors = tensors_in(given[name].value) if isinstance(given[name].value, ItemList) else ()
        inner = next((tensor for tensor in tensors if _rank(tensor) != 0), None)
        if inner is not None:
            message = f"items of '{name}' are single numbers for tract, but this has the rank {_rank(inner)}"
            yield Demand(given[name].span, f"{message}: remove its dimension by 'squeeze'")
            return


def _rank(tensor: GraphTensor) -> int | None:
    shape = None if tensor.tensor is None else tensor.tensor.shape
    return 0 if shape is None else len(shape)


def _known_to_tract(given: Mapping[str, Given]) -> Iterator[Demand]:
    if is_computed(given["shape"].value):
        message = "tract knows an extent only if it is computed of extents in the type 'tdim'"
        yield Demand(given["shape"].span, f"{message}: of another type, it is computed when the graph runs")


def _divisible(given: Mapping[str, Given]) -> Iterator[Demand]:
    """Demand that tract can compute the quotient for an item of -1 that depends on symbols."""
    parts = parts_of_reshape(given)
    if parts is not None and has_no_quotient(*parts):
        volume, others = parts
        yield Demand(given["shape"].span, f"tract gives no extent to -1: it can't divide {volume} by {others}")


def _equal_parts(operation: str, given: Mapping[str, Given]) -> Iterator[Demand]:
    """Report parts whose symbolic extents differ: tract takes no assertion into account here."""
    axis = plain(given["axis"].value)
    along = axis.value if operation == "concat" and isinstance(axis, Integer) else None
    shapes = [each.tensor.shape for each in tensors_in(given["values"].value) if each.tensor is not None]
    rows = [shape for shape in shapes if shape is not None]
    if len(set(map(len, rows))) > 1:
        return
    for shape in rows[1:]:
        for at, (one, other) in enumerate(zip(rows[0], shape, strict=True)):
            if at != along and isinstance(one, Integer) and isinstance(other, Integer) and is_refused(one - other):
                message = f"tract does not load this: the parts must have the same extents, but have {one} and {other}"
                yield Demand(given["values"].span, f"{message} in dimension {at}")
                return


def _extents_of_1(given: Mapping[str, Given]) -> Iterator[Demand]:
    argument = given["input"]
    tensor = argument.value.tensor if isinstance(argument.value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    for axis in _numbers(given["axes"].value):
        extent = shape[axis] if 0 <= axis < len(shape) else None
        if is_symbolic(extent):
            message = f"tract removes dimensions of extent 1 only, but dimension {axis} has the extent {extent}"
            yield Demand(given["axes"].span, message)
            return


def _known_count(given: Mapping[str, Given]) -> Iterator[Demand]:
    argument, axes = given["value"], _numbers(given["axis"].value)
    tensor = argument.value.tensor if isinstance(argument.value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    extent = shape[axes[0]] if axes and 0 <= axes[0] < len(shape) else None
    if is_symbolic(extent):
        yield Demand(argument.span, f"tract takes a known number of parts from a tensor, but here it is {extent}")


def _known_filter(given: Mapping[str, Given]) -> Iterator[Demand]:
    filter_ = given["filter"].value
    shape = None if not isinstance(filter_, GraphTensor) or filter_.tensor is None else filter_.tensor.shape
    if shape is not None and any(map(is_symbolic, shape)):
        message = f"tract convolves with a filter of known extents only, but this has [{', '.join(map(str, shape))}]"
        yield Demand(given["filter"].span, message)


def _cast(given: Given, to: str) -> Repair | None:
    if given.written is None:
        return None
    before, after = (Span(at, at) for at in (given.span.start, given.span.end))
    return Repair(f"Cast it to '{to}'", (Edit(before, "tract_core_cast("), Edit(after, f", to = '{to}')")))


def _no_extents(operation: str, given: Mapping[str, Given]) -> Iterator[Demand]:
    for each in given.values():
        tensor = each.value
        if isinstance(tensor, GraphTensor) and tensor.known is not None and tensor.known.in_tract is InTract.EXTENTS:
            repair = _cast(each, "i64")
            message = f"tract does no '{operation}' with extents, which have the type 'tdim': cast them to 'i64' before"
            yield Demand(each.span, message, repair)
            return


def _filters_of_each_channel(given: Mapping[str, Given]) -> Iterator[Demand]:
    shape, filter_ = _extents(given["input"].value), _extents(given["filter"].value)
    groups = given.get("groups")
    if groups is None or shape is None or filter_ is None or len(shape) < 2 or not filter_:
        return
    if isinstance(groups.value, Integer) and groups.value.value == 0 and None not in (shape[1], filter_[0]):
        channels, count = shape[1], filter_[0]
        if channels != count:
            message = "with 'groups = 0' tract convolves each channel with one filter only"
            yield Demand(groups.span, f"{message}, but there are {count} filters for {channels} channels")


def _automatic_padding(given: Mapping[str, Given]) -> Iterator[Demand]:
    filter_ = _extents(given["filter"].value)
    padding = _items(given["padding"].value) if "padding" in given else ()
    if filter_ is None or padding:
        return
    spatial = filter_[2:]
    strides, dilations = (_numbers(given[name].value) if name in given else [] for name in ("stride", "dilation"))
    for at, extent in enumerate(spatial):
        stride = strides[at] if at < len(strides) else 1
        dilation = dilations[at] if at < len(dilations) else 1
        if extent is not None and (extent - 1) * dilation <= stride - 1:
            place = given.get("padding", given["filter"])
            message = "tract pads a 'deconv' by itself only where a filter covers more than a stride"
            yield Demand(
                place.span, f"{message}, but here it covers {(extent - 1) * dilation + 1} and the stride is {stride}"
            )
            return


def _items(value: ElaboratedValue) -> tuple[ElaboratedValue, ...]:
    return value.values if isinstance(value, ItemList) else (value,)


def _numbers(value: ElaboratedValue) -> list[int]:
    """Return the items of an array of integers; an empty list if any item is unknown."""
    found = [each.value for each in _items(plain(value)) if isinstance(each, Integer) and each.value is not None]
    return found if len(found) == len(_items(plain(value))) else []


def _layout(given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """Report a filter that fits in the layout of the other dialect only."""
    shape, filter_ = _extents(given["input"].value), _extents(given["filter"].value)
    groups = given["groups"].value if "groups" in given else constant(1)
    count = groups.value if isinstance(groups, Integer) else None
    if shape is None or filter_ is None or not count or len(shape) < 2 or len(shape) != len(filter_):
        return
    channels, (first, second) = shape[1], filter_[:2]
    of_text = channels == first
    of_tract = second is not None and channels == second * count
    if of_tract and not of_text and dialect is Dialect.KHRONOS:
        message = "the filter has tract's layout [output channels, input channels / groups, …]"
        yield Demand(given["filter"].span, f"{message}; NNEF 1.0 has [input channels, output channels / groups, …]")
    if of_text and not of_tract and dialect is Dialect.TRACT:
        message = "the filter has the layout of NNEF 1.0 [input channels, output channels / groups, …]"
        yield Demand(given["filter"].span, f"{message}; tract has [output channels, input channels / groups, …]")


def _extents(value: ElaboratedValue) -> tuple[int | None, ...] | None:
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    shape = None if tensor is None else tensor.shape
    return None if shape is None else tuple(getattr(each, "value", None) for each in shape)
