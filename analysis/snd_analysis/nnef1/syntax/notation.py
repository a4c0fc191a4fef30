"""Types in the notation of NNEF 1.0."""

from __future__ import annotations

from snd_analysis.nnef1.syntax import nodes


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
