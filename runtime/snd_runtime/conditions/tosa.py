"""Conditions of TOSA 0.30 on elements: `REQUIRE` in its operators and in `apply_add`, `apply_sub` and `apply_scale`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod

import numpy as np
from msgspec.structs import replace

from snd_analysis.formats import STORED, WIDEST, storage_attribute, storage_of
from snd_analysis.skriptnd.names import library_names
from snd_runtime.conditions.condition import Check, Conditions, OperatorRun, Violation, first_where, outside
from snd_runtime.lowering.arithmetic import Array


def _range(storage: str) -> tuple[int, int]:
    held = STORED[storage]
    return held.least, held.most


def _beyond(values: Array, tensor: str, storage: str, held: str = "") -> Violation | None:
    """Return the first element beyond a storage type; ``held`` names the type in the message."""
    if storage not in STORED:
        return None
    least, most = _range(storage)
    return outside(values, least, most, tensor, f"{held or storage} holds {least} to {most}")


_ANY_TYPE = f"the widest type is {WIDEST}, which"


# ---- inputs ----------------------------------------------------------------------------------------------------------
def _given(call: OperatorRun) -> Violation | None:
    """Check that every element of an input is one of its type."""
    for tensor, values in call.arrays():
        name = tensor.partition("[")[0]
        attribute, storage = storage_attribute(name, call.attributes), storage_of(name, call.attributes)
        if storage is not None:
            held = _ANY_TYPE if attribute is None else f"'{attribute}' is {storage}, which"
            found = _beyond(values, tensor, storage, held)
            if found is not None:
                return found
    return None


def _made(call: OperatorRun) -> Violation | None:
    """Check the elements of an output that attributes give."""
    return _beyond(call.tensor("output"), "output", WIDEST, _ANY_TYPE)


# ---- elementwise -----------------------------------------------------------------------------------------------------
def _held(tensor: str, storage: str) -> Check:
    """Return a check that the elements of an output fit into the type that an attribute names."""
    return lambda call: _beyond(call.tensor(tensor), tensor, call.text(storage))


def _shift_amounts(by_type: bool) -> Check:
    def check(call: OperatorRun) -> Violation | None:
        most = _range(call.text("in_out_t"))[1].bit_length() if by_type else 31
        return outside(call.tensor("input2"), 0, most, "input2", f"shifts are 0 to {most}")

    return check


def _divisors(call: OperatorRun) -> Violation | None:
    x, y = call.tensor("input1"), call.tensor("input2")
    least, most = _range("int32_t")
    return first_where(y == 0, y, "input2", "divisors are not 0") or first_where(
        (x == least) & (y == -1), -x, "output", f"int32_t holds {least} to {most}"
    )


def _product(call: OperatorRun) -> Violation | None:
    if call.text("in_t") != "int32_t" or call.number("shift") == 0:
        return None  # without a shift, the low 32 bits stay
    return _beyond(call.tensor("output"), "output", "int32_t", "after the shift, int32_t")


def _negated(call: OperatorRun) -> Violation | None:
    x = call.tensor("input1")
    if x.dtype.kind != "i":
        return None
    zero = call.number("input1_zp")
    return _beyond(x - zero, "input1 - input1_zp", "int32_t") or _beyond(zero - x, "input1_zp - input1", "int32_t")


def _slopes(call: OperatorRun) -> Violation | None:
    if call.text("in_t") != "int16_t":
        return None
    slopes = np.diff(call.tensor("table"))
    least, most = _range("int16_t")
    used = np.unique((np.clip(call.tensor("Input"), least, most) + 32768) >> 7)
    taken = np.zeros(slopes.shape, bool)
    taken[used[used < slopes.size]] = True
    wrong = taken & ((slopes < least) | (slopes > most))
    return first_where(wrong, slopes, "the slope of table", f"slopes are {least} to {most}")


# ---- sums ------------------------------------------------------------------------------------------------------------
def _reduced(call: OperatorRun) -> Violation | None:
    x = call.tensor("input")
    if x.dtype.kind != "i":
        return None
    axis, storage = call.number("axis"), call.text("in_out_t")
    if _greatest(x) * x.shape[axis] <= _range(storage)[1]:
        return None
    return _beyond(np.cumsum(x, axis), "the partial sum up to input", storage)


def _greatest(values: Array) -> int:
    """Return the greatest magnitude."""
    return max(abs(int(values.min())), abs(int(values.max()))) if values.size else 0


Term = tuple[Array, Array]
"""Products, and which outputs add them: both can be broadcast to the shape of the output."""
_EVERYWHERE = np.array(True)


def _accumulated(
    weight: tuple[str, str], taps: Callable[[Array], int], terms: Callable[[OperatorRun, Array, Array], Iterator[Term]]
) -> Check:
    """Every partial sum, in the order of the pseudocode, must fit into the type of the result; so must the last one.

    ``weight`` names the second factor and its zero point, ``taps`` counts the products of an output.
    """

    def check(call: OperatorRun) -> Violation | None:
        first, zero_point = ("A", "A_zp") if weight[0] == "B" else ("input", "input_zp")
        x, w = call.tensor(first), call.tensor(weight[0])
        if x.dtype.kind != "i":
            return None
        x, w, storage = x - call.number(zero_point), w - call.number(weight[1]), call.text("out_t")
        bias = call.tensor("bias") if "bias" in call.tensors else np.zeros(1, np.int64)
        if _greatest(x) * _greatest(w) * taps(w) + _greatest(bias) <= _range(storage)[1]:
            return None
        is_last = "out_pad" not in call.attributes  # a transposed convolution begins with the bias
        if is_last:
            return _partial_sums(call, 0, (*terms(call, x, w), (bias, _EVERYWHERE)), storage)
        return _partial_sums(call, bias, terms(call, x, w), storage)

    return check


def _partial_sums(call: OperatorRun, first: Array | int, terms: Iterable[Term], storage: str) -> Violation | None:
    sums: Array = np.broadcast_to(np.asarray(first, np.int64), call.tensor("output").shape)
    for products, where in terms:
        sums = sums + np.where(where, products, 0)
        found = _beyond(sums, "the accumulator of output", storage)
        if found is not None:
            return found
    return None


def _pooled(call: OperatorRun) -> Violation | None:
    x = call.tensor("input")
    if x.dtype.kind != "i":
        return None
    x, kernel = x - call.number("input_zp"), call.numbers("kernel")
    if _greatest(x) * prod(kernel) <= _range("int32_t")[1]:
        return None
    return _partial_sums(call, 0, (_window(call, x, tap) for tap in np.ndindex(*kernel)), "int32_t")


def _convolution(call: OperatorRun, x: Array, w: Array) -> Iterator[Term]:
    for tap in np.ndindex(*w.shape[1:-1]):
        taken, inside = _window(call, x, tap)
        for channel in range(x.shape[-1]):
            yield taken[..., channel, None] * w[(slice(None), *tap, channel)], inside


def _depthwise(call: OperatorRun, x: Array, w: Array) -> Iterator[Term]:
    for tap in np.ndindex(*w.shape[:2]):
        taken, inside = _window(call, x, tap)
        yield (taken[..., None] * w[tap]).reshape(*taken.shape[:-1], -1), inside


def _window(call: OperatorRun, x: Array, tap: tuple[int, ...]) -> Term:
    """Return the elements of the input that meet a tap at each output position, and where these are inside."""
    pad, stride = call.numbers("pad"), call.numbers("stride")
    dilation = call.numbers("dilation") if "dilation" in call.attributes else (1,) * len(stride)
    inside: Array = _EVERYWHERE
    places = []
    for at, offset in enumerate(tap):
        place = np.arange(call.tensor("output").shape[1 + at]) * stride[at] + offset * dilation[at] - pad[2 * at]
        extent = x.shape[1 + at]
        inside = inside[..., None] & ((place >= 0) & (place < extent))
        places.append(np.clip(place, 0, extent - 1))
    every = [np.arange(extent) for extent in (x.shape[0], x.shape[-1])]
    return x[np.ix_(every[0], *places, every[1])], inside[..., None]


def _transposed(call: OperatorRun, x: Array, w: Array) -> Iterator[Term]:
    """Yield the terms of each output in the order of input positions, so taps come from last to first."""
    pad, stride = call.numbers("out_pad"), call.numbers("stride")
    shape = call.tensor("output").shape
    for tap in reversed([*np.ndindex(*w.shape[1:3])]):
        inside: Array = _EVERYWHERE
        places = []
        for at, offset in enumerate(tap):
            place = np.arange(shape[1 + at]) + pad[2 * at] - offset
            source = place // stride[at]
            inside = inside[..., None] & ((place % stride[at] == 0) & (source >= 0) & (source < x.shape[1 + at]))
            places.append(np.clip(source, 0, x.shape[1 + at] - 1))
        taken = x[:, places[0]][:, :, places[1]]
        for channel in range(x.shape[-1]):
            yield taken[..., channel, None] * w[(slice(None), *tap, channel)], inside[..., None]


def _connected(call: OperatorRun, x: Array, w: Array) -> Iterator[Term]:
    for channel in range(x.shape[1]):
        yield x[:, channel, None] * w[:, channel], _EVERYWHERE


def _multiplied(call: OperatorRun, x: Array, w: Array) -> Iterator[Term]:
    for channel in range(x.shape[2]):
        yield x[:, :, channel, None] * w[:, channel, None, :], _EVERYWHERE


def _taps(w: Array) -> int:
    return int(w.size // max(w.shape[0], 1))


_SUMS: dict[str, Check] = {
    "conv2d": _accumulated(("weight", "weight_zp"), _taps, _convolution),
    "conv3d": _accumulated(("weight", "weight_zp"), _taps, _convolution),
    "depthwise_conv2d": _accumulated(("weight", "weight_zp"), lambda w: w.shape[0] * w.shape[1], _depthwise),
    "transpose_conv2d": _accumulated(("weight", "weight_zp"), _taps, _transposed),
    "fully_connected": _accumulated(("weight", "weight_zp"), _taps, _connected),
    "matmul": _accumulated(("B", "B_zp"), lambda w: w.shape[1], _multiplied),
}


# ---- indices ---------------------------------------------------------------------------------------------------------
def _indices(values: str) -> Check:
    def check(call: OperatorRun) -> Violation | None:
        most = call.tensor(values).shape[1] - 1
        return outside(call.tensor("indices"), 0, most, "indices", f"{values} has rows 0 to {most}")

    return check


def _written_once(call: OperatorRun) -> Violation | None:
    indices = call.tensor("indices")
    earlier = indices[:, :, None] == indices[:, None, :]
    again = np.triu(earlier, 1).any(axis=1)
    return first_where(again, indices, "indices", "each row is written once")


def _resized(call: OperatorRun) -> Violation | None:
    """Return a violation if the first of the two pixels around a position comes after the second."""
    x, unit = call.tensor("input"), 1 << call.number("shift")
    stride, offset = (np.asarray(call.attributes[each]) for each in ("stride", "offset"))
    for at in range(2):
        extent = x.shape[1 + at]
        place = (np.arange(call.numbers("output_size")[at]) * stride[at] + offset[at]) // unit
        pixel = place.astype(np.int64)
        found = outside(pixel, -1, extent - 1, ("iy", "ix")[at], f"the input has {extent} pixels there")
        if found is not None:
            return found
    return None


# ---- scales ----------------------------------------------------------------------------------------------------------
def _multipliers(call: OperatorRun) -> Violation | None:
    width = 31 if call.attributes["scale32"] else 15
    return outside(
        call.tensor("multiplier"), 0, 2**width - 1, "multiplier", f"multipliers are 0 to {2**width - 1}"
    ) or outside(call.tensor("shift"), 2, 62, "shift", "shifts are 2 to 62")


def _scaled(call: OperatorRun) -> Violation | None:
    value = call.tensor("input") - call.number("input_zp")
    shift = call.tensor("shift")
    if call.attributes["scale32"]:
        most = np.left_shift(np.int64(1), shift - 2)
        wrong = (value < -most) | (value >= most)
        return first_where(wrong, value, "input - input_zp", "shift - 2 bits hold its magnitude")
    scaled = (value * call.tensor("multiplier") + np.left_shift(np.int64(1), shift - 1)) >> shift
    return _beyond(scaled, "the scaled input", "int32_t")


_DEMANDS: dict[str, Conditions] = {
    "add": Conditions(after=(_held("output", "in_out_t"),)),
    "sub": Conditions(after=(_held("output", "in_out_t"),)),
    "abs": Conditions(after=(_held("output", "in_out_t"),)),
    "arithmetic_right_shift": Conditions(before=(_shift_amounts(True),)),
    "logical_left_shift": Conditions(before=(_shift_amounts(False),)),
    "logical_right_shift": Conditions(before=(_shift_amounts(False),)),
    "intdiv": Conditions(before=(_divisors,)),
    "mul": Conditions(after=(_product,)),
    "negate": Conditions(before=(_negated,)),
    "const": Conditions(after=(_made,)),
    "pad": Conditions(after=(_made,)),
    "table": Conditions(before=(_slopes,)),
    "reduce_sum": Conditions(before=(_reduced,)),
    "gather": Conditions(before=(_indices("values"),)),
    "scatter": Conditions(before=(_indices("values_in"), _written_once)),
    "resize": Conditions(before=(_resized,)),
    "rescale": Conditions(before=(_multipliers, _scaled)),
    "avg_pool2d": Conditions(after=(_pooled,)),
    **{name: Conditions(after=(check,)) for name, check in _SUMS.items()},
}
_STORED = {
    "in_out_t": (
        "abs", "add", "avg_pool2d", "ceil", "clamp", "exp", "floor", "log", "max_pool2d", "maximum", "minimum",
        "negate", "pow", "reciprocal", "reduce_max", "reduce_min", "reduce_product", "reduce_sum", "rsqrt",
        "sigmoid", "sub", "tanh",
    ),
    "in_t": ("mul", "resize"),
    "out_t": (
        "cast", "conv2d", "conv3d", "depthwise_conv2d", "fully_connected", "matmul", "transpose_conv2d",
    ),
}  # fmt: skip
"""The attribute that says how the results of operators that compute reals are stored."""

_RESULTS = {name: storage for storage, names in _STORED.items() for name in names}


def _conditions(name: str) -> Conditions:
    found = _DEMANDS.get(name, Conditions())
    return replace(found, before=(*found.before, _given), storage=_RESULTS.get(name))


CONDITIONS: dict[str, Conditions] = {
    name: _conditions(name) for name in library_names("tosa").definitions if not name.startswith("_")
}
