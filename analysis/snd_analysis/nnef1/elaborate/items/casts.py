"""Casts of tract: constants get the type of the tensor beside them, and narrow integers wrap around.

A variable or a list of numbers has the type of the other operand of an operation on elements: a bias of integers is one
of scalars. tract does not cast inputs and results, nor extents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Span
from snd_analysis.compose import Member, Template
from snd_analysis.model import TensorKind
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.values import (
    ElaboratedValue,
    GraphTensor,
    InTract,
    ItemList,
    KnownItems,
    NarrowInteger,
)
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, constant

ON_ELEMENTS = frozenset(["add", "sub", "mul", "div", "pow", "min", "max", "lt", "le", "gt", "ge", "eq", "ne"])
_BIASED = {"conv": ("input", "bias"), "linear": ("input", "bias"), "prelu": ("x", "alpha")}
"""Operations that add or multiply by a constant, each with the input whose type that takes, and the constant."""
_CASTABLE = ("real", "int")


def casts_of_constants(operation: str, given: Mapping[str, Given]) -> Mapping[str, str]:
    """Return the arguments that are constants of another type than the tensor beside, each with that type."""
    pairs = [("x", "y"), ("y", "x")] if operation in ON_ELEMENTS else []
    if operation in _BIASED:
        pairs = [_BIASED[operation]]
    for other, name in pairs:
        if other not in given or name not in given:
            continue
        if not _is_cast(given[name].value) or _is_constant(given[other].value):
            continue
        own, wanted = item_type(given[name].value), item_type(given[other].value)
        if wanted in _CASTABLE and own in ("real", "int", "bool") and own != wanted:
            return {name: wanted}
    return {}


def cast_literal(value: ElaboratedValue, dtype: str) -> ElaboratedValue | None:
    """Return a literal or a tensor of known items in another type; None for other tensors."""
    match value:
        case ItemList(values=values):
            found = [cast_literal(each, dtype) for each in values]
            return replace(value, values=tuple(each for each in found if each is not None))
        case GraphTensor(known=KnownItems() as known, tensor=tensor) if tensor is not None:
            items = tuple(cast for each in known.items if (cast := cast_literal(each, dtype)) is not None)
            return GraphTensor("", replace(tensor, name="", dtype=dtype), replace(known, items=items))
        case GraphTensor():
            return None
    number = float(value is TRUE) if value is TRUE or value is FALSE else _number(value)
    return number if dtype == "real" else constant(int(number))


def _number(value: ElaboratedValue) -> float:
    return float(value.value or 0) if isinstance(value, Integer) else value if isinstance(value, float) else 0.0


def _is_cast(value: ElaboratedValue) -> bool:
    """Return whether tract casts a constant: it has numbers or logicals, no extents."""
    if isinstance(value, GraphTensor) and value.known is not None:
        return value.known.in_tract is InTract.NUMBERS
    return _is_constant(value)


def _is_constant(value: ElaboratedValue) -> bool:
    match value:
        case ItemList(is_tuple=False, values=values):
            return bool(values) and all(isinstance(each, ItemList | float) or _is_number(each) for each in values)
        case GraphTensor(known=KnownItems()):
            return True
        case GraphTensor(tensor=tensor):
            return tensor is not None and tensor.kind is TensorKind.VARIABLE
    return False


def _is_number(value: ElaboratedValue) -> bool:
    return isinstance(value, Integer) and value.value is not None


# ---- integers of 8 and 16 bits, as tract computes with them: a result that is too large for its type wraps around ----
# SkriptND has one type of integers. So tract's wrapping is an operation of its own after the operation that makes the
# result. Integers of 32 and 64 bits are unchanged: exporters use them for positions and extents.

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
