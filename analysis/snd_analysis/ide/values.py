"""Values and tensors as short texts, for hovers and hints."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import counted
from snd_analysis.compose import IndexedValue, extent_text, tensor_text
from snd_analysis.ide.limits import LONGEST_EXTENT, LONGEST_VALUE
from snd_analysis.ide.markdown import code
from snd_analysis.model import Tensor, representative
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, Maybe, Pack, Value, format_value

ELEMENT_BYTES = {"real": 4, "int": 4, "bool": 1}
"""Bytes of an element where it is stored: 32-bit numbers."""


def is_tensor(value: Value) -> bool:
    """Return whether a value is a tensor or a pack of them, there or perhaps not."""
    return representative(value) is not None


def is_known_tensor(value: Value) -> bool:
    """Return whether a value is a tensor of known shape, or a pack of such."""
    match value:
        case Maybe():
            return is_known_tensor(value.value)
        case Pack():
            return bool(value.segments) and all(map(is_known_tensor, value.elements))
        case Tensor():
            return value.shape is not None
    return False


def value_text(value: Value, longest: int = LONGEST_VALUE) -> str:
    """Return a value in the notation of the language, cut where it gets too long; empty if it is not known."""
    if value is UNDEFINED or is_tensor(value) or isinstance(value, IndexedValue):
        return ""
    text = format_value(value, quoted=True)
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def bound_text(value: Value) -> str:
    """Return the bounds of an int of unknown value; empty if only 0 bounds it from below."""
    if not isinstance(value, Integer) or value.value is not None:
        return ""
    low, high = shapes.bounds(value)
    if high is None:
        return f"at least {low:,}" if low else ""
    return f"at most {high:,}" if low is None or low <= 0 else f"from {low:,} to {high:,}"


def tensor_facts(value: Value) -> Iterator[str]:
    """Yield the facts about a tensor besides its type.

    These are its greatest extents, elements, bytes, value and quantization.
    """
    if isinstance(value, Maybe):
        yield f"there if {code(str(value.present))}"
        value = value.value
    if isinstance(value, Pack) and is_tensor(value):
        yield counted(code(str(value.length)) if value.length.value is None else value.length, "tensor")
        return
    if not isinstance(value, Tensor) or value.shape is None:
        return
    dynamic = any(not isinstance(extent, Integer) or extent.value is None for extent in value.shape)
    bound = value.bound
    if dynamic and bound is not None and any(extent is not None for extent in bound):
        yield "at most " + code(f"[{','.join('?' if extent is None else str(extent) for extent in bound)}]")
    size = _size(value, dynamic)
    if size:
        yield size
    if value.value is not None and (text := value_text(value.value)):
        yield f"value {code(text)}"
    if value.quantization is not None:
        given = ", ".join(f"{name}={value_text(each)}" for name, each in value.quantization.attributes.items())
        yield f"quantized by {code(f'{value.quantization.operator.name}{{{given}}}')}"


def _size(tensor: Tensor, dynamic: bool) -> str:
    amount = tensor.elements
    most = None if amount is None else shapes.bounds(amount)[1]
    if most is None:
        return ""
    text = f"{'at most ' if dynamic else ''}{counted(f'{most:,}', 'element')}"
    size = ELEMENT_BYTES.get(tensor.dtype or "")
    return text if size is None else f"{text}, {counted(f'{most * size:,}', 'byte')}"


def short_type_text(value: Value) -> str:
    """Return the type of a tensor, without long extents."""
    match value:
        case Maybe():
            return f"optional {short_type_text(value.value)}"
        case Pack():
            items = {short_type_text(each) for each in value.elements}
            return f"{items.pop() if len(items) == 1 else '…'}..({value.length})"
        case Tensor() if value.shape is not None:
            extents = map(extent_text, value.shape)
            short = (text if len(text) <= LONGEST_EXTENT else "…" for text in extents)
            return f"{value.dtype}[{','.join(short)}]"
    return ""


def type_text(value: Value) -> str:
    """Return the type of a tensor or of a pack of tensors; empty if its shape is not known."""
    return tensor_text(value) if is_known_tensor(value) else ""
