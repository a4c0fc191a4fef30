"""Summary of a tensor in one line: ``real[1,1000] n=1000 x∈[-2.12, 2.64] μ=-0.39 σ=1.07 nan=0``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_runtime.values import dtype_name

Array: TypeAlias = np.ndarray[Any, Any]

_CHUNK = 1 << 20
"""Elements at a time: 64-bit copies of a large tensor would take more memory than it does."""
_SMALL, _LARGE, _DIGITS = 1e-3, 1e6, 3
_NO_NAN = "nan=0"
_LARGE_UNIT = 2.0**600
"""Unit for elements whose squares are too large for 64 bits."""


class Summary(Struct, frozen=True):
    """Statistics of a tensor. Statistics that do not apply to its type, or to an empty tensor, are None.

    ``least`` and ``greatest`` exclude NaN, ``mean`` and ``deviation`` (of the population) cover the finite elements;
    ``true`` counts true elements of a bool, ``distinct`` the different strings.
    """

    dtype: str
    shape: tuple[int, ...]
    count: int
    least: int | float | None = None
    greatest: int | float | None = None
    mean: float | None = None
    deviation: float | None = None
    nan: int | None = None
    infinite: int | None = None
    true: int | None = None
    distinct: int | None = None

    def __str__(self) -> str:
        return f"{self.type} {' '.join(self._statistics())}"

    @property
    def type(self) -> str:
        """The type as the language writes it: ``real[2,3]``."""
        return type_text(self.dtype, self.shape)

    @property
    def brief(self) -> str:
        """Return the summary without the usual ``nan=0``."""
        return f"{self.type} {' '.join(each for each in self._statistics() if each != _NO_NAN)}"

    def fitting(self, length: int) -> str:
        """Return the statistics that matter most, in at most ``length`` characters, without the type.

        NaN and infinite elements come first, then range, mean and deviation. The number of elements is left out: the
        shape says it.
        """
        found = [each for each in self._statistics() if each != _NO_NAN and not each.startswith("n=")]
        found = [part for each in found for part in (each.split(" ") if each.startswith("μ") else [each])]
        found.sort(key=lambda each: not each.startswith(("nan=", "inf=")))
        while found and len(" ".join(found)) > length:
            found.pop()
        return " ".join(found)

    def _statistics(self) -> Iterator[str]:
        yield f"n={self.count}"
        if self.least is not None and self.greatest is not None:
            yield f"x∈[{number_text(self.least)}, {number_text(self.greatest)}]"
        if self.mean is not None and self.deviation is not None:
            yield f"μ={number_text(self.mean)} σ={number_text(self.deviation)}"
        if self.nan is not None:
            yield f"nan={self.nan}"
        if self.infinite:
            yield f"inf={self.infinite}"
        if self.true is not None:
            yield f"true={self.true}"
        if self.distinct is not None:
            yield f"distinct={self.distinct}"


def summarize(array: Array) -> Summary:
    """Return the statistics of a tensor. Raise ValueError for one of no type of the language."""
    dtype, shape, count = dtype_name(array), array.shape, array.size
    if count == 0:
        return Summary(dtype, shape, 0)
    if dtype == "bool":
        return Summary(dtype, shape, count, true=int(np.count_nonzero(array)))
    if dtype == "str":
        return Summary(dtype, shape, count, distinct=len(set(array.reshape(-1).tolist())))
    if dtype == "int":
        mean, deviation, _ = _moments(array)
        return Summary(dtype, shape, count, int(array.min()), int(array.max()), mean, deviation)
    nan, infinite = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    # Added to 0, both zeros are 0: which of them is found first depends on how NumPy goes over the elements.
    least, greatest = (float(np.nanmin(array)) + 0.0, float(np.nanmax(array)) + 0.0) if nan < count else (None, None)
    mean, deviation, finite = _moments(array)
    if not finite:
        return Summary(dtype, shape, count, least, greatest, None, None, nan, infinite)
    return Summary(dtype, shape, count, least, greatest, mean, deviation, nan, infinite)


def type_text(dtype: str, shape: tuple[int, ...]) -> str:
    """Return a type as the language writes it: ``real[2,3]``."""
    return f"{dtype}[{','.join(map(str, shape))}]"


def number_text(number: int | float) -> str:
    """Return an int in full, a real with three digits, and all digits before the point if it is below a million."""
    if isinstance(number, int):
        return str(number)
    size = abs(number)
    if not math.isfinite(number) or size == 0 or size < _SMALL or size >= _LARGE:
        return f"{number:.{_DIGITS}g}"
    places = max(0, _DIGITS - 1 - math.floor(math.log10(size)))
    text = f"{number:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@np.errstate(over="ignore")
def _moments(array: Array, template: float = 1.0) -> tuple[float, float, int]:
    """Mean and standard deviation of the finite elements, in 64 bits, and how many there are."""
    total, count = 0.0, 0
    for chunk in _chunks(array, template):
        total += float(chunk.sum())
        count += chunk.size
    if not count:
        return 0.0, 0.0, 0
    mean = total / count
    squares = sum(float(np.square(chunk - mean).sum()) for chunk in _chunks(array, template))
    if math.isinf(squares) and template == 1.0:
        return _moments(array, _LARGE_UNIT)
    return mean * template, math.sqrt(squares / count) * template, count


def _chunks(array: Array, template: float) -> Iterator[Array]:
    """Yield the finite elements, in so many units."""
    flat = array.reshape(-1)
    for begin in range(0, flat.size, _CHUNK):
        chunk = flat[begin : begin + _CHUNK].astype(np.float64)
        finite = np.isfinite(chunk)
        kept = chunk if finite.all() else chunk[finite]
        yield kept if template == 1.0 else kept / template
