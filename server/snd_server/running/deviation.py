"""Difference of two tensors that should be equal, though sums may be computed in different orders."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

TOLERANCE = 1e-4
"""Allowed difference of elements, relative to the greatest element."""


def difference(found: Array, expected: Array, tolerance: float = TOLERANCE) -> str | None:
    """Return how two tensors differ, in words; None if they agree."""
    if found.shape != expected.shape:
        return f"it has the shape {list(found.shape)}, not {list(expected.shape)}"
    if found.dtype.kind != "f":
        return None if np.array_equal(found, expected) else "its elements differ"
    one, other = found.astype(np.float64), expected.astype(np.float64)
    scale = max(float(np.abs(other[np.isfinite(other)]).max(initial=0.0)), 1e-6)
    with np.errstate(all="ignore"):  # the difference of two large numbers is infinite
        if np.allclose(one, other, rtol=0, atol=tolerance * scale, equal_nan=True):
            return None
        off = np.abs(one - other)
    special = special_difference(one, other)
    if special is not None:
        return special
    return f"by {off[~np.isnan(off)].max(initial=0.0):.3g}"


def special_difference(found: Array, expected: Array) -> str | None:
    """Return the first element that is NaN or infinite in one of two tensors only, in words; None if there is none.

    Other reals are not compared, since other inputs show their differences.
    """
    if found.shape != expected.shape:
        return f"the shapes are {list(found.shape)} and {list(expected.shape)}"
    if found.dtype.kind != "f" or expected.dtype.kind != "f":
        return None if np.array_equal(found, expected) else "its elements differ"
    is_finite = np.isfinite(found) & np.isfinite(expected)
    wrong = ~(is_finite | (found == expected) | (np.isnan(found) & np.isnan(expected)))
    if not wrong.any():
        return None
    at = tuple(int(index) for index in np.argwhere(wrong)[0])
    return f"{_shown(found[at])} and {_shown(expected[at])}{f' at {list(at)}' if at else ''}"


def _shown(number: Any) -> str:
    return "NaN" if np.isnan(number) else f"{float(number):.4g}"
