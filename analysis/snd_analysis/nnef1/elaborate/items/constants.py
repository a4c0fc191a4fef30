"""Constants that tract casts to the type of the tensor beside them.

A variable or a list of numbers has the type of the other operand of an operation on elements: a bias of integers is one
of scalars. tract does not cast inputs and results, nor extents.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from snd_analysis.model import TensorKind
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, InTract, ItemList, KnownItems
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, constant

ON_ELEMENTS = frozenset(["add", "sub", "mul", "div", "pow", "min", "max", "lt", "le", "gt", "ge", "eq", "ne"])
_BIASED = {"conv": ("input", "bias"), "linear": ("input", "bias"), "prelu": ("x", "alpha")}
"""Operations that add or multiply by a constant, each with the input whose type that takes, and the constant."""
_CAST = ("real", "int")


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
        if wanted in _CAST and own in ("real", "int", "bool") and own != wanted:
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
