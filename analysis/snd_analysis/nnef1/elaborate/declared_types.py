"""The types that fragments declare for their parameters, and the values that suit them."""

from __future__ import annotations

from snd_analysis.nnef1.elaborate.item_types import NAMES
from snd_analysis.nnef1.elaborate.values import UNKNOWN, Items, TensorName, Value, type_name
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic.integers import Integer, Truth


def suits(type_: nodes.Type, value: Value) -> bool:
    """Return whether a value is of a type, or becomes so by a cast that is implied: a number is a tensor, too."""
    match type_, value:
        case _, _ if value is UNKNOWN:
            return True
        case nodes.TensorType(item=item), TensorName(tensor=tensor):
            dtype = None if tensor is None else tensor.dtype
            return item is None or dtype is None or item.text in ("?", NAMES.get(dtype))
        case nodes.TensorType(item=item), Integer() | float() | Truth() | str():
            return item is None or suits(item, value)
        case nodes.PrimitiveType(text=text), _:
            kinds = {"integer": Integer, "scalar": float, "logical": Truth, "string": str}
            return isinstance(value, kinds[text]) if text in kinds else isinstance(value, tuple(kinds.values()))
        case nodes.ArrayType(item=item), Items(values=values, is_tuple=False):
            return all(suits(item, each) for each in values)
        case nodes.TupleType(items=items), Items(values=values, is_tuple=True):
            return len(items) == len(values) and all(map(suits, items, values))
    return False


def generic_type(type_: nodes.Type, value: Value) -> str | None:
    """Return what the generic type of a parameter is for a value; None if the value does not tell."""
    match type_, value:
        case nodes.TensorType(item=nodes.PrimitiveType(text="?")), TensorName(tensor=tensor):
            return None if tensor is None or tensor.dtype is None else NAMES[tensor.dtype]
        case nodes.TensorType(item=nodes.PrimitiveType(text="?") as item), _:
            return generic_type(item, value)
        case nodes.PrimitiveType(text="?"), Integer() | float() | Truth() | str():
            return type_name(value)
        case nodes.ArrayType(item=item), Items(values=values):
            return next(filter(None, (generic_type(item, each) for each in values)), None)
        case nodes.TupleType(items=items), Items(values=values):
            return next(filter(None, map(generic_type, items, values)), None)
    return None
