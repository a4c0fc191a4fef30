"""Integers of 8 and 16 bits, as tract computes with them: a result that is too large for its type wraps around.

SkriptND has one type of integers. So tract's wrapping is an operation of its own after the operation that makes the
result. Integers of 32 and 64 bits are unchanged: exporters use them for positions and extents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.compose import Member, Template
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, NarrowInteger
from snd_analysis.symbolic.integers import constant

_NAME = re.compile(r"(?P<sign>[iu])(?P<bits>8|16)", re.IGNORECASE)
_INTEGER = re.compile(r"(?P<sign>[iu])(?P<bits>8|16|32|64)", re.IGNORECASE)
_WIDEST = 64
_GREATEST_REAL = (1 << 63) - (1 << 39)
"""The greatest integer of 64 bits with a sign that is a real of 32 bits."""
_CAST = "tract_core_cast"
_WRAPPING = frozenset(
    [
        "add", "sub", "mul", "neg", "abs", "tract_shl", "tract_core_bitnot", "tract_core_product_reduce",
        "tract_core_cumsum",
    ]
)  # fmt: skip
"""Operations that compute with integers of their inputs' type and may leave it."""
_SATURATING = frozenset(["square", "sum_reduce"])
"""Operations whose result tract computes in a wider type and clamps to the range of the narrow type."""


class Adjustment(Struct, frozen=True):
    """An operation of tract's library that takes a tensor to the range of a type, and its attributes."""

    operation: str
    attributes: Mapping[str, Given]


def narrow_integer(written: object) -> NarrowInteger | None:
    """Return the type of 8 or 16 bits that tract calls so, if it is one."""
    match = _NAME.fullmatch(written) if isinstance(written, str) else None
    return None if match is None else NarrowInteger(int(match["bits"]), match["sign"] in "iI")


def narrow_result(
    operation: str, template: Template, given: Mapping[str, Given], result: Member
) -> NarrowInteger | None:
    """Return the type of 8 or 16 bits that a result of an operation has: that of the inputs of its type."""
    if operation == _CAST:
        return narrow_integer(given["to"].value) if "to" in given else None
    declared = result.node.type.text
    values = [
        each.value
        for member in template.inputs
        if member.node.type.text == declared and (each := given.get(member.name.removesuffix("_"))) is not None
    ]
    tensors = [each for each in values if isinstance(each, GraphTensor) and each.known is None]
    found = {each.narrow for each in tensors}
    return found.pop() if len(found) == 1 else None


def adjustment_before(operation: str, given: Mapping[str, Given]) -> Adjustment | None:
    """Return the clamping of reals before they become integers: values beyond the type become its bound."""
    written = given["to"].value if operation == _CAST and "to" in given else None
    match = _INTEGER.fullmatch(written) if isinstance(written, str) else None
    if match is None or item_type(given["input"].value) != "real":
        return None
    bits, is_signed = int(match["bits"]), match["sign"] in "iI"
    if bits < _WIDEST:
        return _saturated(NarrowInteger(bits, is_signed), given["to"].span)
    least = -(1 << (_WIDEST - 1)) if is_signed else 0
    return _adjustment("_saturated", given["to"].span, least=least, greatest=_GREATEST_REAL)


def adjustment_after(operation: str, given: Mapping[str, Given], narrow: NarrowInteger | None) -> Adjustment | None:
    """Return the adjustment of integers of 8 or 16 bits after an operation that may leave the range of their type."""
    if narrow is None:
        return None
    span = next(iter(given.values())).span
    if operation in _SATURATING or (operation == "neg" and not narrow.is_signed):
        return _saturated(narrow, span)
    if operation not in _WRAPPING and not (operation == _CAST and _may_be_wider(given["input"].value, narrow)):
        return None
    return _adjustment("_wrapped_signed" if narrow.is_signed else "_wrapped", span, bits=narrow.bits)


def _may_be_wider(value: ElaboratedValue, narrow: NarrowInteger) -> bool:
    return item_type(value) == "int" and not (isinstance(value, GraphTensor) and value.narrow == narrow)


def _saturated(narrow: NarrowInteger, span: Span) -> Adjustment:
    least = -(1 << (narrow.bits - 1)) if narrow.is_signed else 0
    return _adjustment("_saturated", span, least=least, greatest=least + (1 << narrow.bits) - 1)


def _adjustment(operation: str, span: Span, **attributes: int) -> Adjustment:
    return Adjustment(operation, {name: Given(constant(value), span) for name, value in attributes.items()})
