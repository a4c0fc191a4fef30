"""Axes that are named twice: tract inserts and removes one dimension after the other.

``unsqueeze(x, axes = [0, 0])``, which exporters write, has two new dimensions, as ``[0, 1]`` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.values import ItemList
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer


def with_distinct_axes(operation: str, given: Mapping[str, Given]) -> Mapping[str, Given]:
    """Return the arguments of an invocation with the axes that repeated ones denote for tract."""
    axes = given.get("axes")
    if operation not in ("unsqueeze", "squeeze") or axes is None:
        return given
    value = plain(axes.value)
    items = value.values if isinstance(value, ItemList) else ()
    numbers = [each.value for each in items if isinstance(each, Integer) and each.value is not None]
    if len(numbers) < len(items) or len(set(numbers)) == len(numbers) or min(numbers) < 0:
        return given
    found = _inserted(sorted(numbers)) if operation == "unsqueeze" else _removed(sorted(numbers, reverse=True))
    return {**given, "axes": Given(ItemList(tuple(map(integers.constant, found))), axes.span, axes.written)}


def _inserted(axes: Sequence[int]) -> list[int]:
    """Return the places of dimensions that are inserted one after the other."""
    found: list[int] = []
    for axis in axes:
        found = [*(each + (each >= axis) for each in found), axis]
    return sorted(found)


def _removed(axes: Sequence[int]) -> list[int]:
    """Return the places, before any removal, of dimensions that are removed one after the other."""
    left = list(range(max(axes) + len(axes)))
    return sorted(left.pop(axis) for axis in axes)
