"""The types that fragments declare for their parameters, and the values that suit them."""

from __future__ import annotations

from snd_analysis.nnef1.elaborate.item_types import NAMES
from snd_analysis.nnef1.elaborate.values import UNKNOWN, Items, TensorName, Value
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


def written_type(type_: nodes.Type) -> str:
    """Return a type in the notation of NNEF 1.0."""
    match type_:
        case nodes.TensorType(item=item):
            return f"tensor<{'' if item is None else item.text}>"
        case nodes.ArrayType(item=item):
            return f"{written_type(item)}[]"
        case nodes.TupleType(items=items):
            return f"({', '.join(map(written_type, items))})"
    return type_.text
