"""Deviation of an array from its expected value."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

_LEAST_SCALE = 0.01
"""Allowed deviation of reals, as a multiple of the tolerance, if all items should be 0."""


def deviation(was: Array, now: Array, tolerance: float) -> str | None:
    """Return how many items differ, and by how much; None if the arrays, of one type and shape, agree.

    Reals may deviate by ``tolerance`` relative to the item of ``was``, or to its greatest item where that is below 1,
    whichever is more; NaN equals NaN.
    """
    before, after = was.reshape(-1), now.reshape(-1)
    found = np.zeros(before.size)
    if before.dtype.kind != "f":
        wrong = np.asarray(before != after, np.bool_)
        if before.dtype.kind == "i":  # the difference of two ints need not fit into 64 bits
            found[wrong] = [abs(int(one) - int(other)) for one, other in zip(before[wrong], after[wrong], strict=True)]
        return _told(found, wrong, was.shape)
    before, after = before.astype(np.float64), after.astype(np.float64)
    with np.errstate(all="ignore"):
        found = np.abs(before - after)
    found[(before == after) | (np.isnan(before) & np.isnan(after))] = 0.0
    found[np.isnan(found)] = np.inf
    finite = np.isfinite(before)
    greatest = float(np.abs(before[finite]).max(initial=0.0))
    scale = min(1.0, greatest) or _LEAST_SCALE
    allowed = np.where(finite, tolerance * np.maximum(np.abs(np.where(finite, before, 0.0)), scale), 0.0)
    return _told(found, found > allowed, was.shape)


def _told(found: Array, wrong: Array, shape: tuple[int, ...]) -> str | None:
    if not wrong.any():
        return None
    at = int(np.where(wrong, found, -1.0).argmax())
    many = f"{int(wrong.sum())} of {wrong.size} items differ" if wrong.size > 1 else "it differs"
    where = f" at {_place(np.unravel_index(at, shape))}" if shape else ""
    if not found[at]:  # bools and strings
        return f"{many}, the first{where}" if wrong.size > 1 else many
    return f"{many}, the largest deviation is {float(found[at]):.3g}{where}"


def _place(at: Any) -> str:
    return f"[{', '.join(str(int(index)) for index in at)}]"
