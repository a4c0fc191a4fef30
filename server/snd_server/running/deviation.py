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
    if np.allclose(one, other, rtol=0, atol=tolerance * scale, equal_nan=True):
        return None
    with np.errstate(invalid="ignore"):
        return f"by {np.nanmax(np.abs(one - other)):.3g}"
