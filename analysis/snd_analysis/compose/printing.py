"""Values and counts as messages show them."""

from __future__ import annotations

from snd_analysis.model import Tensor, TensorValue
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Maybe, Pack, Run, Value, format_value


def shown(value: Value) -> str:
    """A value in the language's notation."""
    return str(value) if isinstance(value, Integer) else format_value(value)


def counted_items(count: Integer) -> str:
    """``1 item``, ``n items``."""
    return f"{count} item" if count.value == 1 else f"{count} items"


def tensor_text(value: TensorValue) -> str:
    """The type of a tensor, or of a pack of them: ``real[2,n]``, ``real[3]..(2)``."""
    if isinstance(value, Maybe):
        return f"optional {tensor_text(value.value)}"
    if isinstance(value, Tensor):
        return f"{value.dtype}[{shape_text(value)}]"
    if isinstance(value, Pack):
        items = [segment.element if isinstance(segment, Run) else segment for segment in value.segments]
        texts = list(dict.fromkeys(tensor_text(item) for item in items))
        if len(texts) == 1:
            return f"{texts[0]}..({value.length})"
        return f"[{', '.join(texts[:4])}{', …' if len(texts) > 4 else ''}]"
    return "null" if value is NULL else "unknown"


def shape_text(tensor: Tensor) -> str:
    """The extents of a tensor, as in its type."""
    if tensor.shape is None:
        return "?"
    return ",".join(map(extent_text, tensor.shape))


def extent_text(extent: Integer | Run) -> str:
    """An extent, or a pack of them, as in a type."""
    return f"{shown(extent.element)} ..({extent.length})" if isinstance(extent, Run) else str(extent)
