"""The operators that implement operations of NNEF 1.0, and the binding of invocations to them.

The mapping is described at the head of ``libraries/nnef1/nnef1.sknd``. The parameters of an operation are the inputs,
then the attributes of its operator; so the library is the only list of operations.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from msgspec import Struct

from snd_analysis.compose import Arguments, Member, Specialization, Template
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, ItemList, flattened
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import Pack, Value


class Operators(Protocol):
    """The operators of the library, as composing has them."""

    def template(self, name: str, dialect: Dialect) -> Template | None:
        """Return the operator of an operation in a dialect; None if there is no such operation."""

    def names(self, dialect: Dialect) -> frozenset[str]:
        """Return the names of the operations of a dialect."""

    def quantization(self, name: str) -> Template | None:
        """Return the operator of an operation of ``graph.quant`` files; None if there is none."""

    def specialization(self, template: Template, given: Arguments) -> Specialization:
        """Return the operator with everything bound."""


class OperationParameter(Struct, frozen=True):
    """A parameter of an operation, or of a fragment."""

    name: str
    is_tensor: bool
    is_array: bool
    is_required: bool


@lru_cache(maxsize=1 << 10)
def parameters(template: Template) -> tuple[OperationParameter, ...]:
    """Return the parameters of the operation that an operator implements, in order."""
    return (
        *(_parameter(member, True) for member in template.inputs),
        *(_parameter(member, False) for member in template.attributes),
    )


def _parameter(member: Member, is_tensor: bool) -> OperationParameter:
    node = member.node
    required = not node.optional and node.default is None
    return OperationParameter(member.name.removesuffix("_"), is_tensor, node.pack is not None, required)


class Unsuitable(Exception):  # noqa: N818 - it carries a finding
    """A value that an attribute can't have; the message names the type that it must have."""


def attribute_value(member: Member, value: ElaboratedValue, is_strict: bool) -> Value:
    """Return the value of an attribute of an operator. Raise Unsuitable.

    Unless it ``is_strict``, an integer is a scalar, too, and a single value the same as an array of one.
    """
    wanted = member.node.type.text
    if is_strict and wanted == "real" and any(isinstance(each, Integer) for each in flattened((value,))):
        raise Unsuitable(f"'{member.name}' must be a scalar, but this is an integer: write '1.0' for '1'")
    if is_strict and member.node.pack is not None and not isinstance(value, ItemList):
        raise Unsuitable(f"'{member.name}' must be an array, but this is a single value: write '[…]' around it")
    if is_strict and isinstance(value, ItemList) and member.node.pack is not None:
        _demand_pairs(member, value)
    if member.node.pack is None:
        single = value.values[0] if not is_strict and isinstance(value, ItemList) and len(value.values) == 1 else value
        return _single(member, wanted, single)
    items = value.values if isinstance(value, ItemList) else (value,)
    return Pack([_single(member, wanted, item) for item in flattened(items)], dtype=wanted)


_PAIRED = frozenset(["padding"])
"""The attributes that are arrays of pairs; all others are arrays of single values."""


def _demand_pairs(member: Member, value: ItemList) -> None:
    for item in value.values:
        is_pair = isinstance(item, ItemList) and item.is_tuple and len(item.values) == 2
        if member.name in _PAIRED and not is_pair:
            raise Unsuitable(f"items of '{member.name}' must be pairs such as '(1, 1)'")
        if member.name not in _PAIRED and isinstance(item, ItemList):
            raise Unsuitable(f"items of '{member.name}' must be single values, but one is an array or tuple")


_TYPES = {"int": "an integer", "real": "a scalar", "bool": "a logical", "str": "a string"}


def _single(member: Member, wanted: str, value: ElaboratedValue) -> Value:
    match wanted, value:
        case "int", Integer():
            return value
        case "real", float():
            return value
        case "real", Integer(value=int(number)):
            return float(number)
        case "bool", Truth() if value is TRUE or value is FALSE:
            return value
        case "str", str():
            return value
    if wanted not in _TYPES and isinstance(value, Integer | float | Truth | str):  # a generic type
        return value
    what = (
        "a tensor" if isinstance(value, GraphTensor) else "an array or tuple" if isinstance(value, ItemList) else "this"
    )
    many = "items of " if member.node.pack is not None else ""
    raise Unsuitable(f"{many}'{member.name}' must be {_TYPES.get(wanted, 'a number')}, but {what} is not")
