"""What operations demand of their arguments that their operators do not: of known values, or in one dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from snd_analysis.base import Edit, Repair, Span
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.values import Items, TensorName, Value
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
"""Operations that tract does with a reduction over the axes as they are written."""
_WITH_RANGE = frozenset(["linear_quantize", "min_max_linear_quantize"])

_POOLS = frozenset(["box", "max_pool", "max_pool_with_index", "avg_pool", "rms_pool"])
"""Operations for which tract must know the number of channels."""


class Demand(Struct, frozen=True):
    """Something that an argument does not meet."""

    span: Span
    message: str
    repair: Repair | None = None


def demands(operation: str, given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """Yield what arguments of an operation do not meet."""
    if operation in _WITH_BIAS and dialect is Dialect.KHRONOS:
        yield from _rank_of_bias(given)
    if operation in _WITH_RANGE:
        yield from _range(given)
    if operation == "pad":
        yield from _other_border(given, dialect)
    if operation == "deconv":
        yield from _layout(given, dialect)
    if dialect is Dialect.TRACT:
        yield from _of_tract(operation, given)


def _of_tract(operation: str, given: Mapping[str, Given]) -> Iterator[Demand]:
    """Yield what NNEF 1.0 allows, but tract does not load."""
    match operation:
        case "conv":
            yield from _border_of_tract(given)
            yield from _filters_of_each_channel(given)
        case "deconv":
            yield from _automatic_padding(given)
        case "slice":
            yield from _begin_from_the_end(given)
    if operation in _REDUCTIONS:
        yield from _order_of_axes(given)
    if operation in _POOLS:
        yield from _number_of_channels(given)


def _rank_of_bias(given: Mapping[str, Given]) -> Iterator[Demand]:
    bias = given.get("bias")
    shape = None if bias is None else _shape(bias.value)
    if bias is not None and shape is not None and shape and (len(shape) != 2 or shape[0] != "1"):
        yield Demand(bias.span, f"the bias must have the extents [1, channels], but has [{', '.join(shape)}]")


def _range(given: Mapping[str, Given]) -> Iterator[Demand]:
    least, greatest = given["min"], given["max"]
    if isinstance(least.value, float) and isinstance(greatest.value, float) and not least.value < greatest.value:
        message = f"'min' must be less than 'max', but they are {least.value} and {greatest.value}"
        yield Demand(greatest.span, message)


def _shape(value: Value) -> tuple[str, ...] | None:
    tensor = value.tensor if isinstance(value, TensorName) else None
    return None if tensor is None or tensor.shape is None else tuple(map(str, tensor.shape))


_BORDERS = {Dialect.TRACT: ("replicate", "replicated"), Dialect.KHRONOS: ("replicated", "replicate")}
"""What the other dialect calls the border that repeats the outermost items, and what this one does."""


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
    tensor = argument.value.tensor if isinstance(argument.value, TensorName) else None
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


def _items(value: Value) -> tuple[Value, ...]:
    return value.values if isinstance(value, Items) else (value,)


def _numbers(value: Value) -> list[int]:
    """The items of an array of integers; none where one is not known."""
    found = [each.value for each in _items(plain(value)) if isinstance(each, Integer) and each.value is not None]
    return found if len(found) == len(_items(plain(value))) else []


def _layout(given: Mapping[str, Given], dialect: Dialect) -> Iterator[Demand]:
    """A filter that fits in the layout of the other dialect only."""
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


def _extents(value: Value) -> tuple[int | None, ...] | None:
    tensor = value.tensor if isinstance(value, TensorName) else None
    shape = None if tensor is None else tensor.shape
    return None if shape is None else tuple(getattr(each, "value", None) for each in shape)
