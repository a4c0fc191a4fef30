"""Range transfer of TOSA operators, and results that may exceed the type that holds them (T33 to T38)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

from snd_analysis import rules
from snd_analysis.compose import specialization_of
from snd_analysis.formats.intervals import (
    STORED,
    Finding,
    Operands,
    Range,
    ResultRanges,
    Transfer,
    constant_items,
    signed,
    storage_attribute,
    storage_of,
    union,
)
from snd_analysis.model import tensors_of
from snd_analysis.symbolic.integers import TRUE


def _input(found: Operands, storage: str, at: int = 0) -> Range | None:
    """Return the range of an input: its known range, within the type that an attribute names."""
    stored = STORED.get(found.text(storage))
    known = found.range(at)
    if stored is None:
        return known
    return stored if known is None else known.clipped(stored.least, stored.most)


def _checked(found: Operands, result: Range | None, storage: str, what: str) -> Range | ResultRanges | None:
    """Return the range of a result, with a warning if its type does not hold all of it."""
    held = STORED.get(storage)
    if result is None or held is None or result.within(held):
        return result
    return ResultRanges((result.clipped(held.least, held.most),), (_overflow(result, storage, what),))


def _overflow(result: Range, storage: str, what: str) -> Finding:
    held = STORED[storage]
    reached = result.most if result.most > held.most else result.least
    limit = held.most if result.most > held.most else held.least
    verb = "is" if result.least > held.most or result.most < held.least else "can reach"
    return Finding(rules.POSSIBLE_OVERFLOW, f"{what} {verb} {reached}, beyond {limit}, the limit of {storage}")


# ---- elementwise -----------------------------------------------------------------------------------------------------
def _of_narrow(combine: Callable[[Range, Range], Range], what: str) -> Transfer:
    """Return the transfer of a sum, for inputs with ranges narrower than their type: else every sum could overflow."""

    def transfer(found: Operands) -> Range | ResultRanges | None:
        x, y = found.range(0), found.range(1)
        storage = found.text("in_out_t")
        if x is None or y is None or storage not in STORED:
            return STORED.get(storage)
        return _checked(found, combine(x, y), storage, what)

    return transfer


def _abs(found: Operands) -> Range | ResultRanges | None:
    x, storage = found.range(0), found.text("in_out_t")
    if x is None or storage not in STORED:
        return Range(0, STORED[storage].most) if storage in STORED else None
    least = 0 if x.least <= 0 <= x.most else min(abs(x.least), abs(x.most))
    if x.least == STORED[storage].least:  # the whole type: nothing is known
        return Range(least, STORED[storage].most)
    return _checked(found, Range(least, x.magnitude), storage, "the absolute value")


def _negate(found: Operands) -> Range | None:
    x, storage = _input(found, "in_out_t"), found.text("in_out_t")
    first, last = found.number("input1_zp"), found.number("output_zp")
    if x is None or storage not in STORED or first is None or last is None:
        return STORED.get(storage)
    return (Range(first + last, first + last) - x).clipped(STORED[storage].least, STORED[storage].most)


def _mul(found: Operands) -> Range | ResultRanges | None:
    x, y, shift = _input(found, "in_t", 0), _input(found, "in_t", 1), found.number("shift")
    if x is None or y is None or shift is None or found.text("in_t") not in STORED:
        return None
    product, int32 = x * y, STORED["int32_t"]
    if shift == 0:
        return product if product.within(int32) else int32  # the low 32 bits
    half = 1 << (shift - 1)
    scaled = Range((product.least + half) >> shift, (product.most + half) >> shift)
    if int32 in (found.range(0) or int32, found.range(1) or int32):
        return scaled.clipped(int32.least, int32.most)
    return _checked(found, scaled, "int32_t", f"the product, shifted by {shift},")


def _intdiv(found: Operands) -> Range | ResultRanges | None:
    x = found.range(0) or STORED["int32_t"]
    divisors = constant_items(found.operation.inputs[1])
    most = Range(-x.magnitude, min(x.magnitude, STORED["int32_t"].most))
    if divisors is not None and 0 in divisors:
        return ResultRanges((most,), (Finding(rules.UNPREDICTABLE_RESULT, "the divisor is 0, which has no result"),))
    return most


def _shifted(most_of_type: bool) -> Transfer:
    def transfer(found: Operands) -> Range | ResultRanges | None:
        storage = found.text("in_out_t")
        stored = STORED.get(storage)
        amounts = constant_items(found.operation.inputs[1])
        most = {"int8_t": 7, "int16_t": 15}.get(storage, 31) if most_of_type else 31
        wrong = [each for each in amounts or () if not 0 <= each <= most]
        if not wrong:
            return stored
        message = f"the shift is {wrong[0]}, and shifts are 0 to {most} here"
        return ResultRanges((stored,), (Finding(rules.UNPREDICTABLE_RESULT, message),))

    return transfer


def _storage(name: str) -> Transfer:
    return lambda found: STORED.get(found.text(name))


def _extreme(pick: Callable[[int, int], int]) -> Transfer:
    def transfer(found: Operands) -> Range | None:
        x, y = (_input(found, "in_out_t", at) for at in range(2))
        return None if x is None or y is None else Range(pick(x.least, y.least), pick(x.most, y.most))

    return transfer


def _clamp(found: Operands) -> Range | None:
    x, least, most = _input(found, "in_out_t"), found.number("min_val"), found.number("max_val")
    return None if x is None or least is None or most is None else x.clipped(least, most)


def _not(found: Operands) -> Range | None:
    x = _input(found, "in_out_t")
    return None if x is None else Range(-x.most - 1, -x.least - 1)


def _table(found: Operands) -> Range | ResultRanges | None:
    values = constant_items(found.operation.inputs[1])
    if found.text("in_t") == "int8_t":
        return Range(min(values), max(values)) if values else STORED["int8_t"]
    result = Range(-(1 << 22), 1 << 22)
    slopes = [second - first for first, second in zip(values or (), (values or ())[1:], strict=False)]
    steep = [(at, slope) for at, slope in enumerate(slopes) if not -32768 <= slope <= 32767]
    if not steep:
        return result
    at, slope = steep[0]
    message = f"the table rises by {slope} after position {at}, but slopes must be -32768 to 32767"
    return ResultRanges((result,), (Finding(rules.UNPREDICTABLE_RESULT, message),))


# ---- sums ------------------------------------------------------------------------------------------------------------
def _accumulator(
    found: Operands, terms: Range, count: int, storage: str, kernel: str, bias: Range | None = None
) -> Range | ResultRanges | None:
    total = terms.summed(count)
    result = total if bias is None else total + (bias | Range(0, 0))
    what = f"the accumulator of {count} products ({kernel}), each from {terms.least} to {terms.most},"
    return _checked(found, result, storage, what)


def _summed(
    count_axis: Callable[[tuple[int, ...]], tuple[int, str]], weight: str, zero_points: tuple[str, str]
) -> Transfer:
    """Return the transfer of a sum of products of an input and weights; the shape of the weights gives their number."""

    def transfer(found: Operands) -> Range | ResultRanges | None:
        storage = found.text("out_t")
        x, w = _input(found, "in_t", 0), _input(found, weight, 1)
        zeros = [found.number(each) for each in zero_points]
        shape = found.shape(1)
        if storage not in STORED or x is None or w is None or None in zeros or shape is None:
            return STORED.get(storage)
        first, second = (Range(zero or 0, zero or 0) for zero in zeros)
        count, kernel = count_axis(shape)
        bias = found.range(2)
        return _accumulator(found, (x - first) * (w - second), count, storage, kernel, bias)

    return transfer


def _window(shape: tuple[int, ...]) -> tuple[int, str]:
    return prod(shape[1:]), " × ".join(map(str, shape[1:]))


def _depth(shape: tuple[int, ...]) -> tuple[int, str]:
    return prod(shape[:2]), f"{shape[0]} × {shape[1]}"


def _columns(shape: tuple[int, ...]) -> tuple[int, str]:
    return shape[1], f"{shape[1]} columns"


def _reduce_sum(found: Operands) -> Range | ResultRanges | None:
    x, axis, shape, storage = found.range(0), found.number("axis"), found.shape(), found.text("in_out_t")
    if x is None or axis is None or shape is None or not 0 <= axis < len(shape) or storage not in STORED:
        return STORED.get(storage)
    return _checked(found, x.summed(shape[axis]), storage, f"the sum of {shape[axis]} elements up to {x.magnitude}")


def _avg_pool(found: Operands) -> Range | ResultRanges | None:
    x, stored = _input(found, "in_out_t"), STORED.get(found.text("in_out_t"))
    zeros = [found.number("input_zp"), found.number("output_zp")]
    kernel = found.numbers("kernel")
    if x is None or stored is None or kernel is None or zeros[0] is None or zeros[1] is None:
        return stored
    terms = x - Range(zeros[0], zeros[0])
    mean = (terms + Range(zeros[1], zeros[1])).clipped(stored.least, stored.most)
    total = terms.summed(prod(kernel))
    if total.within(STORED["int32_t"]):
        return mean
    size = " × ".join(map(str, kernel))
    return ResultRanges((mean,), (_overflow(total, "int32_t", f"the accumulator of a window of {size}"),))


# ---- movements of elements -------------------------------------------------------------------------------------------
def _same(found: Operands) -> Range | None:
    return found.range(0)


def _typed(storage: str) -> Transfer:
    return lambda found: _input(found, storage)


def _select(found: Operands) -> Range | None:
    return union((found.range(1), found.range(2)))


def _pad(found: Operands) -> Range | None:
    x, value = found.range(0), found.number("pad_const")
    return None if x is None or value is None else x | Range(value, value)


def _indexed(found: Operands, range: Range | None) -> Range | ResultRanges | None:
    """Return the range of a GATHER or SCATTER, with findings about known indices that are out of bounds."""
    shape, indices = found.shape(), constant_items(found.operation.inputs[1])
    if shape is None or indices is None:
        return range
    wrong = [each for each in indices if not 0 <= each < shape[1]]
    if not wrong:
        return range
    message = f"index {wrong[0]} is not among the rows 0 to {shape[1] - 1}"
    return ResultRanges((range,), (Finding(rules.UNPREDICTABLE_RESULT, message),))


def _resize(found: Operands) -> Range | ResultRanges | None:
    x, shift = _input(found, "in_t"), found.number("shift")
    if x is None or shift is None:
        return x
    result = x if found.text("mode") == "NEAREST" else Range(x.least << (2 * shift), x.most << (2 * shift))
    return ResultRanges((result,), tuple(_outside_of_image(found, shift)))


def _outside_of_image(found: Operands, shift: int) -> Iterator[Finding]:
    """Yield positions more than a pixel before the first one, or after the last."""
    shape, size, stride, offset = found.shape(), *map(found.numbers, ("output_size", "stride", "offset"))
    for at, name in enumerate(("rows", "columns")):
        if shape and size and stride and offset:
            first, last = offset[at] >> shift, ((size[at] - 1) * stride[at] + offset[at]) >> shift
            end = shape[1 + at] - 1
            if first < -1 or last > end:
                message = f"the result has {name} from {first} to {last} of the input, whose {name} end at {end}"
                yield Finding(rules.UNPREDICTABLE_RESULT, message)


def _cast(found: Operands) -> Range | None:
    stored, x = STORED.get(found.text("out_t")), found.range(0)
    return x if x is not None and stored is not None and x.within(stored) else stored


def _rescale(found: Operands) -> Range | ResultRanges | None:
    stored = STORED.get(found.text("out_t"))
    zeros = [found.number("input_zp"), found.number("output_zp")]
    x = _input(found, "in_t")
    multipliers, shifts = (constant_items(found.operation.inputs[at]) for at in (1, 2))
    if stored is None or x is None or zeros[0] is None or zeros[1] is None or not multipliers or not shifts:
        return stored
    value = x - Range(zeros[0], zeros[0])
    scale32 = found.attributes.get("scale32") is TRUE
    findings = []
    if any(each < 0 for each in multipliers):
        findings.append(Finding(rules.UNPREDICTABLE_RESULT, f"the multiplier is {min(multipliers)}, which is negative"))
    wrong = [each for each in shifts if not 2 <= each <= 62]
    if wrong:
        findings.append(Finding(rules.UNPREDICTABLE_RESULT, f"the shift is {wrong[0]}, and shifts are 2 to 62 here"))
    if findings:
        return ResultRanges((stored,), tuple(findings))
    least = min(shifts)
    if scale32 and not value.within(signed(least - 1)):
        reached = value.most if value.most >= 1 << (least - 2) else value.least
        message = (
            f"the input less its zero point can reach {reached}, and a shift of {least} is for values from "
            f"{-(1 << (least - 2))} to {(1 << (least - 2)) - 1}"
        )
        findings.append(Finding(rules.POSSIBLE_OVERFLOW, message))
    scaled = value * Range(min(multipliers), max(multipliers))
    corners = [(end + (1 << (shift - 1))) >> shift for end in (scaled.least, scaled.most) for shift in set(shifts)]
    # Double rounding moves a result by one at most.
    result = Range(min(corners) - 1, max(corners) + 1)
    if not scale32 and not result.within(STORED["int32_t"]):
        findings.append(_overflow(result, "int32_t", "the scaled input"))
    result = (result + Range(zeros[1], zeros[1])).clipped(stored.least, stored.most)
    return ResultRanges((result,), tuple(findings))


def _argmax(found: Operands) -> Range | None:
    shape, axis = found.shape(), found.number("axis")
    return Range(0, shape[axis] - 1) if shape and axis is not None and 0 <= axis < len(shape) else None


def _with_constants(transfer: Transfer) -> Transfer:
    """Return a transfer that also reports constants with elements beyond their type."""

    def transferred(found: Operands) -> Range | ResultRanges | None:
        result = transfer(found)
        wrong = tuple(_not_held(found))
        known = result if isinstance(result, ResultRanges) else ResultRanges((result,))
        return ResultRanges(known.results, (*wrong, *known.findings)) if wrong else result

    return transferred


def _not_held(found: Operands) -> Iterator[Finding]:
    callee = specialization_of(found.operation)
    for member, value in zip(callee.template.inputs if callee else (), found.operation.inputs, strict=False):
        storage = storage_of(member.name, found.attributes)
        held = STORED.get(storage or "")
        if storage is None or held is None:
            continue
        items = (item for tensor in tensors_of(value) for item in constant_items(tensor) or ())
        wrong = next((each for each in items if not held.least <= each <= held.most), None)
        if wrong is not None:
            attribute = storage_attribute(member.name, found.attributes)
            typed = f"'{attribute}'" if attribute else "the widest type"
            message = f"'{member.name}' has {wrong}, but {typed} is {storage}, which holds {held.least} to {held.most}"
            yield Finding(rules.UNPREDICTABLE_RESULT, message)


_POINTS = ("input_zp", "weight_zp")
_TRANSFERS: dict[str, Transfer] = {
    "abs": _abs, "add": _of_narrow(lambda x, y: x + y, "the sum"), "argmax": _argmax,
    "arithmetic_right_shift": _shifted(True), "avg_pool2d": _avg_pool, "bitwise_and": _storage("in_out_t"),
    "bitwise_not": _not, "bitwise_or": _storage("in_out_t"), "bitwise_xor": _storage("in_out_t"), "cast": _cast,
    "clamp": _clamp, "clz": lambda found: Range(0, 32), "concat": _same,
    "conv2d": _summed(_window, "weight_t", _POINTS),
    "conv3d": _summed(_window, "weight_t", _POINTS), "depthwise_conv2d": _summed(_depth, "weight_t", _POINTS),
    "fully_connected": _summed(_window, "weight_t", _POINTS), "gather": lambda found: _indexed(found, found.range(0)),
    "identity": _same, "intdiv": _intdiv, "logical_left_shift": _shifted(False), "logical_right_shift": _shifted(False),
    "matmul": _summed(_columns, "in_t", ("A_zp", "B_zp")), "max_pool2d": _typed("in_out_t"), "maximum": _extreme(max),
    "minimum": _extreme(min), "mul": _mul, "negate": _negate, "pad": _pad, "reduce_max": _typed("in_out_t"),
    "reduce_min": _typed("in_out_t"), "reduce_sum": _reduce_sum, "rescale": _rescale, "reshape": _same,
    "resize": _resize, "reverse": _same,
    "scatter": lambda found: _indexed(found, union((found.range(0), found.range(2)))), "select": _select,
    "slice": _same, "sub": _of_narrow(lambda x, y: x - y, "the difference"), "table": _table, "tile": _same,
    "transpose": _same, "transpose_conv2d": _summed(_window, "weight_t", _POINTS),
}  # fmt: skip
TRANSFERS: dict[str, Transfer] = {name: _with_constants(transfer) for name, transfer in _TRANSFERS.items()}
