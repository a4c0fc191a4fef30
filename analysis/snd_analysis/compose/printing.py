"""Values and counts as messages show them."""

from __future__ import annotations

from snd_analysis.model import Tensor
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Maybe, Null, Pack, Value, format_value


def shown(value: Value) -> str:
    """Return a value in the language's notation."""
    return str(value) if isinstance(value, Integer) else format_value(value)


def tensor_text(value: Value) -> str:
    """Return the type of a tensor, or of a pack of them: ``real[2,n]``, ``real[3]..(2)``."""
    match value:
        case Maybe():
            return f"optional {tensor_text(value.value)}"
        case Tensor():
            return f"{value.dtype}[{shape_text(value)}]"
        case Pack():
            texts = list(dict.fromkeys(map(tensor_text, value.elements)))
            if len(texts) == 1:
                return f"{texts[0]}..({value.length})"
            return f"[{', '.join(texts[:4])}{', …' if len(texts) > 4 else ''}]"
        case Null():
            return "null"
    return "unknown"


def shape_text(tensor: Tensor) -> str:
    """Return the extents of a tensor, as in its type."""
    if tensor.shape is None:
        return "?"
    return ",".join(map(extent_text, tensor.shape))


def extent_text(extent: Integer | ItemRun) -> str:
    """Return an extent, or a pack of them, as in a type."""
    return f"{shown(extent.element)} ..({extent.length})" if isinstance(extent, ItemRun) else str(extent)
