"""Recorded results against computed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.skriptnd.samples import Recorded
from snd_runtime.deviation import deviation
from snd_runtime.lowering.lowered import Argument
from snd_runtime.samples.recording import statistics
from snd_runtime.values import dtype_name, numpy_dtype

Array: TypeAlias = np.ndarray[Any, Any]

_STATISTIC = re.compile(r"(?P<name>\w+)(?P<sign>[=∈])(?P<value>\[[^\]]*\]|\S+)")
_PRINTED_TOLERANCE = 0.011
"""Statistics are printed with three digits."""


def difference(recorded: Recorded, value: Argument, tolerance: float) -> str | None:
    """Return the difference between a recorded result and a computed one; None if they agree.

    Reals may deviate by ``tolerance`` relative to the recorded item, or to the greatest item of the tensor where that
    is below 1, whichever is more; NaN equals NaN.
    """
    if value is None or recorded.dtype is None:
        return None if value is None and recorded.dtype is None else "one of them is null"
    if isinstance(value, np.ndarray):
        shape = [extent for extent in recorded.shape if isinstance(extent, int)]
        if recorded.length is not None:
            return "it is one tensor now, not a pack"
        return _tensor(recorded.dtype, shape, recorded.value, recorded.summary, value, tolerance)
    return _pack(recorded, [np.asarray(item) for item in value], tolerance)


def _pack(recorded: Recorded, items: list[Array], tolerance: float) -> str | None:
    if recorded.length != len(items):
        return f"it is a pack of {len(items)} tensors now"
    if recorded.summary is not None:
        joined = np.concatenate([item.reshape(-1) for item in items]) if items else np.empty(0)
        return _summaries(recorded.summary, statistics(joined))
    assert recorded.dtype is not None
    for at, item in enumerate(items):
        shape = [extent if isinstance(extent, int) else extent[at] for extent in recorded.shape]
        row = recorded.value[at] if isinstance(recorded.value, tuple) else None
        found = _tensor(recorded.dtype, shape, row, None, item, tolerance)
        if found is not None:
            return f"tensor {at}: {found}"
    return None


def _tensor(dtype: str, shape: list[int], was: object, summary: str | None, now: Array, tolerance: float) -> str | None:
    if dtype_name(now) != dtype:
        return f"its type is '{dtype_name(now)}' now"
    if list(now.shape) != shape:
        return f"its shape is [{','.join(map(str, now.shape))}] now"
    if summary is not None:
        return _summaries(summary, statistics(now))
    if was is None:
        return None
    # A recorded value has enough digits to distinguish a real from others of its precision.
    expected = np.empty(now.size, numpy_dtype(dtype, now.dtype))
    try:
        expected[:] = list(_flat(was))
    except (ValueError, OverflowError):  # it contradicts the type and shape before it, or is no 64-bit int
        return "what is recorded has not the type and shape that are recorded"
    return deviation(expected.reshape(now.shape), now, tolerance)


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _summaries(was: str, now: str) -> str | None:
    """Return the statistics that differ by more than their digits allow; None if none do. Counts must agree exactly."""
    expected, found = _statistics(was), _statistics(now)
    if expected.keys() != found.keys():
        return f"other statistics are there now: {now}"
    scale = max((abs(each) for name in ("x", "σ") for each in expected.get(name, ())), default=0.0)
    for name, numbers in expected.items():
        exact = name not in ("x", "μ", "σ")
        for before, after in zip(numbers, found[name], strict=False):
            same = before == after or (np.isnan(before) and np.isnan(after))
            allowed = 0.0 if exact else _PRINTED_TOLERANCE * max(abs(before), 0.01 * scale)
            if not same and not abs(before - after) <= allowed:
                return f"'{name}' was {before:g} and is {after:g}"
    return None


def _statistics(text: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for match in _STATISTIC.finditer(text):
        try:
            found[match["name"]] = [float(each) for each in match["value"].strip("[]").split(",")]
        except ValueError:
            found[match["name"]] = [float("nan")]
    return found
