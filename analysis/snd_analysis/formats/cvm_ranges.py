"""Ranges of the results of CVM operators. More than 32 bits are an error of the machine, for every tensor."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from snd_analysis import rules
from snd_analysis.compose import specialization_of
from snd_analysis.formats.intervals import Finding, Operands, Range, ResultRanges, Transfer, bits_of
from snd_analysis.symbolic.values import NULL

_PRECISE = Range(-(2**31 - 1), 2**31 - 1)


def _held(result: Range | None, what: str) -> Range | ResultRanges | None:
    """Return a result, with a warning if it takes more than 32 bits."""
    if result is None or result.within(_PRECISE):
        return result
    return ResultRanges((result.clipped(_PRECISE.least, _PRECISE.most),), (_exceeded(result, what),))


def _exceeded(found: Range, what: str) -> Finding:
    reached = found.most if found.most >= -found.least else found.least
    message = f"{what} can reach {reached}, which takes {bits_of(found)} bits, more than 32"
    return Finding(rules.PRECISION_EXCEEDED, message)


def _operands_checked(transfer: Transfer) -> Transfer:
    """Return a transfer that reports operands of more than 32 bits, such as constants, and nothing more then."""

    def checked(found: Operands) -> Range | ResultRanges | None:
        callee = specialization_of(found.operation)
        members = () if callee is None else callee.template.inputs
        operands = [(member.name, found.range(at)) for at, member in enumerate(members)]
        wide = [(name, range) for name, range in operands if range is not None and not range.within(_PRECISE)]
        if not wide:
            return transfer(found)
        return ResultRanges((), tuple(_exceeded(range, f"the input '{name}'") for name, range in wide))

    return checked


def _two(combine: Callable[[Range, Range], Range], what: str) -> Transfer:
    def transfer(found: Operands) -> Range | ResultRanges | None:
        x, y = found.range(0), found.range(1)
        return None if x is None or y is None else _held(combine(x, y), what)

    return transfer


def _divided(x: Range, y: Range) -> Range:
    return Range(-x.magnitude, x.magnitude) if x.least < 0 or y.least < 0 else Range(0, x.most)


def _sum(found: Operands) -> Range | ResultRanges | None:
    x, shape, result = found.range(0), found.shape(), found.result_shape()
    if x is None or shape is None or result is None:
        return None
    count = prod(shape) // max(prod(result), 1)
    return _held(x.summed(count), f"the sum of {count} elements")


def _products(count: int, found: Operands, what: str) -> Range | ResultRanges | None:
    x, w = found.range(0), found.range(1)
    has_bias = len(found.operation.inputs) > 2 and found.operation.inputs[2] is not NULL
    bias = found.range(2) if has_bias else Range(0, 0)
    if x is None or w is None or bias is None:
        return None
    return _held((x * w).summed(count) + bias, f"the sum of {count} products ({what})")


def _convolution(found: Operands) -> Range | ResultRanges | None:
    shape = found.shape(1)
    return None if shape is None else _products(prod(shape[1:]), found, " × ".join(map(str, shape[1:])))


def _dense(found: Operands) -> Range | ResultRanges | None:
    shape = found.shape(1)
    return None if shape is None else _products(shape[1], found, f"{shape[1]} columns")


def _relu(found: Operands) -> Range | None:
    x = found.range()
    return None if x is None else Range(max(x.least, 0), max(x.most, 0))


def _or_zero(found: Operands) -> Range | None:
    x = found.range()
    return None if x is None else x | Range(0, 0)


def _abs(found: Operands) -> Range | ResultRanges | None:
    x = found.range()
    if x is None:
        return None
    least = 0 if x.least <= 0 <= x.most else min(abs(x.least), abs(x.most))
    return _held(Range(least, x.magnitude), "the absolute value")


def _precision(found: Operands) -> Range | None:
    x = found.range()
    return Range(1, 32 if x is None else max(1, x.magnitude.bit_length()))


def _negative(found: Operands) -> Range | ResultRanges | None:
    x = found.range()
    return None if x is None else _held(-x, "the negative")


def _clip(found: Operands) -> Range | ResultRanges | None:
    x, least, most = found.range(), found.number("a_min"), found.number("a_max")
    if least is None or most is None:
        return None
    x = x or Range(least, most)
    return _held(Range(min(max(x.least, least), most), min(max(x.most, least), most)), "an element within the limits")


def _limit(found: Operands) -> Range | None:
    precision = found.number("precision")
    return None if precision is None else Range(1 - (1 << (precision - 1)), (1 << (precision - 1)) - 1)


def _clipped(change: Callable[[int, int], int]) -> Transfer:
    def transfer(found: Operands) -> Range | None:
        x, limit, shift = found.range(), _limit(found), found.number("shift_bit") or 0
        if x is None or limit is None:
            return limit
        return Range(change(x.least, shift), change(x.most, shift)).clipped(limit.least, limit.most)

    return transfer


def _same(found: Operands) -> Range | None:
    return found.range(0)


def _second(found: Operands) -> Range | None:
    return found.range(1)


def _valid_count(found: Operands) -> ResultRanges:
    shape, x = found.shape(), found.range()
    count = None if shape is None else Range(0, shape[1])
    return ResultRanges((count, None if x is None else x | Range(-1, -1)))


def _or_removed(found: Operands) -> Range | None:
    x = found.range()
    return None if x is None else x | Range(-1, -1)


def _max_of(x: Range, y: Range) -> Range:
    return Range(max(x.least, y.least), max(x.most, y.most))


_TRANSFERS: dict[str, Transfer] = {
    "Convolution": _convolution, "Dense": _dense, "MaxPooling": _or_zero, "Relu": _relu, "Upsampling": _same,
    "abs": _abs, "broadcast_add": _two(lambda x, y: x + y, "the sum"), "broadcast_div": _two(_divided, "the quotient"),
    "broadcast_max": _two(_max_of, "the maximum"), "broadcast_mul": _two(lambda x, y: x * y, "the product"),
    "broadcast_sub": _two(lambda x, y: x - y, "the difference"), "clip": _clip, "concatenate": _same,
    "cvm_clip": _clipped(lambda x, _: x), "cvm_left_shift": _clipped(lambda x, n: x << n), "cvm_lut": _second,
    "cvm_precision": _precision, "cvm_right_shift": _clipped(lambda x, n: ((x >> (n - 1)) + 1) >> 1),
    "elemwise_add": _two(lambda x, y: x + y, "the sum"), "elemwise_sub": _two(lambda x, y: x - y, "the difference"),
    "expand_dims": _same, "flatten": _same, "get_valid_count": _valid_count, "max": _same, "negative": _negative,
    "non_max_suppression": _or_removed, "repeat": _same, "reshape": _same, "slice": _same, "slice_like": _same,
    "squeeze": _same, "strided_slice": _same, "sum": _sum, "take": _same, "tile": _same, "transpose": _same,
}  # fmt: skip
TRANSFERS = {name: _operands_checked(transfer) for name, transfer in _TRANSFERS.items()}
"""Range transfer by operator. An input of undefined precision, and its results, are unknown until a clip."""
