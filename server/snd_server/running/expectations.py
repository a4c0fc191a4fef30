"""Outputs against files: ``--expect y=@ref.npy``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.lowering.lowered import Argument
from snd_server.running.arguments import ArgumentError, among
from snd_server.running.tensor_inputs import given_tensors

Array: TypeAlias = np.ndarray[Any, Any]

TOLERANCE = 1e-5


def expected_tensors(items: Sequence[str], outputs: Sequence[str], most_bytes: int) -> dict[str, Any]:
    """Read ``NAME=@FILE`` and, for a tensor of a pack, ``NAME:0=@FILE``. Raise ArgumentError."""
    found = given_tensors(items, most_bytes, "--expect", outputs)
    for name, value in found.items():
        if name not in outputs:
            raise ArgumentError(f"--expect {name}: there is no such output; {among(name, outputs)}")
        for each in value.values() if isinstance(value, dict) else [value]:
            if not isinstance(each, np.ndarray):
                raise ArgumentError(f"--expect {name}: write {name}=@FILE.npy")
    return found


def compared(
    arrays: Mapping[str, Argument], expected: Mapping[str, Any], tolerance: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Compare outputs with their expected values.

    Return the labels of the tensors that are as expected, and a line about each difference.
    """
    equal: list[str] = []
    differing: list[str] = []
    for name, wanted in expected.items():
        value = arrays.get(name)
        pairs: list[tuple[str, Any, Array]] = [(name, value, wanted)] if isinstance(wanted, np.ndarray) else []
        if isinstance(wanted, dict):
            items = [] if value is None or isinstance(value, np.ndarray) else list(value)
            pairs = [(f"{name}[{at}]", items[at] if at < len(items) else None, each) for at, each in wanted.items()]
        for label, one, other in pairs:
            line = _deviation(label, one, other, tolerance)
            if line is None:
                equal.append(label)
            else:
                differing.append(line)
    return tuple(equal), tuple(differing)


def _deviation(label: str, found: Any, wanted: Array, tolerance: float) -> str | None:
    if not isinstance(found, np.ndarray):
        return f"{label} is no tensor, but one is expected"
    if found.shape != wanted.shape:
        return f"{label} has the shape {list(found.shape)}, but {list(wanted.shape)} is expected"
    if found.dtype.kind not in "fiub" or wanted.dtype.kind not in "fiub":
        return None if np.array_equal(found, wanted) else f"{label} has other elements than expected"
    one, other = found.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(invalid="ignore"):
        apart = np.abs(one - other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    apart = np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))
    allowed = tolerance * (1 + np.where(np.isfinite(other), np.abs(other), 0.0))
    beyond = apart > allowed
    if not beyond.any():
        return None
    at = np.unravel_index(int(np.argmax(np.where(beyond, apart, -1.0))), apart.shape)
    place = f" at [{','.join(map(str, at))}]" if apart.ndim else ""
    return (
        f"{label} differs most{place}: it is {found[at]:.8g}, but {wanted[at]:.8g} is expected "
        f"({int(beyond.sum()):,} of {apart.size:,} elements differ by more than {tolerance:g})"
    )
