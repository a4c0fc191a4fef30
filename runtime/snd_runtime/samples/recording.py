"""Results as text: lines below a sample, which read back as equal values."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from snd_analysis.symbolic.values import format_value
from snd_runtime.lowering.lowered import Argument
from snd_runtime.samples.limits import MOST_RECORDED
from snd_runtime.summary import summarize
from snd_runtime.values import dtype_name, item_text

Array: TypeAlias = np.ndarray[Any, Any]


def recorded_text(name: str, value: Argument, dtype: str | None = None, in_full: bool = False) -> str:
    """Return the line that records a result, without ``# ``. ``dtype`` is the one of a pack without tensors.

    Tensors with more than MOST_RECORDED elements are summarised unless they are wanted ``in_full``.
    """
    if value is None:
        return f"{name}: null"
    if isinstance(value, np.ndarray):
        if (value.size > MOST_RECORDED and not in_full) or not _fits_a_line(value):
            return f"{name}: {summarize(value)}"
        return f"{name}: {dtype_name(value)}[{','.join(map(str, value.shape))}] = {value_text(value)}"
    items = [np.asarray(item) for item in value]
    header = f"{name}: {dtype_name(items[0]) if items else dtype or 'real'}[{_extents(items)}]..({len(items)})"
    is_large = sum(item.size for item in items) > MOST_RECORDED
    if (is_large and not in_full) or not all(map(_fits_a_line, items)):
        joined = np.concatenate([item.reshape(-1) for item in items])
        return f"{header} {statistics(joined)}"
    return f"{header} = [{', '.join(map(value_text, items))}]"


def statistics(array: Array) -> str:
    """Return a summary without type and shape."""
    return str(summarize(array)).partition(" ")[2]


def _extents(items: list[Array]) -> str:
    """Return the extents of the tensors of a pack: one where all have the same, else one for each."""
    extents = []
    for axis in range(items[0].ndim if items else 0):
        found = [item.shape[axis] for item in items]
        extents.append(str(found[0]) if len(set(found)) == 1 else f"..[{', '.join(map(str, found))}]")
    return ",".join(extents)


def value_text(array: Array) -> str:
    """Return all items as nested lists on one line.

    Reals have enough digits to distinguish them from others of their precision.
    """
    if array.ndim == 0:
        return _item_text(array[()])
    if array.ndim == 1:
        return f"[{', '.join(map(_item_text, array))}]"
    return f"[{', '.join(map(value_text, array))}]"


def _item_text(item: Any) -> str:
    return format_value(item, quoted=True) if isinstance(item, str) else item_text(item)


def _fits_a_line(array: Array) -> bool:
    """Return whether no string has a character that would end the line and can't be escaped."""
    return array.dtype.kind != "O" or not any("\r" in item for item in array.reshape(-1))
