from __future__ import annotations

from snd_analysis.base import Rule

TENSOR_NOT_ACCESSED = Rule("tensor-not-accessed", section="2.12")


def whole_tensor(type_: object, element: str) -> str:
    """Return the message for a tensor whose elements are meant; ``element`` shows an access."""
    return f"this is a tensor of type '{type_}': access its elements by index, as in '{element}'"
