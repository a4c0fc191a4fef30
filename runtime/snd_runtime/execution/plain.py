"""Conversion between values of the analysis and of Python and NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import NULL, Null, Pack, Value
from snd_runtime.lowering.arithmetic import BOOL, INT, STR, Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.values import PlainValue

_DTYPES = {"f": "real", "i": "int", "u": "int", "b": "bool", "O": "str", "U": "str"}
_LEAST, _GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def plain(value: Value | None) -> PlainValue:
    """Return a compile-time value as one of Python. Raise ValueError if it is not known."""
    match value:
        case Integer() if value.value is not None:
            return value.value
        case Truth() if value is TRUE or value is FALSE:
            return value is TRUE
        case Null():
            return None
        case float() | str():
            return value
        case Pack() if value.items is not None:
            return tuple(plain(item) for item in value.items)
    raise ValueError("not known")


def value_of(value: Any) -> Value:
    """Return a value of Python, also a list, as one of the analysis."""
    match value:
        case None:
            return NULL
        case list() | tuple():
            return Pack([value_of(item) for item in value])
        case bool() | np.bool_():
            return shapes.truth(bool(value))
        case int() | np.integer():
            return shapes.constant(int(value))
        case float() | np.floating():
            return float(value)
    return value  # type: ignore[no-any-return]


def dtype_of_array(array: Array) -> str:
    """Return the element type in the language: int, real, bool or str. Raise ValueError for another kind of array."""
    found = _DTYPES.get(array.dtype.kind)
    if found is None:
        raise ValueError(f"there are no tensors of {array.dtype}")
    return found


def tensor_of(value: Argument, name: str) -> TensorValue:
    """Return a tensor, or a pack of them, as composing sees an argument."""
    if value is None:
        return NULL
    if isinstance(value, np.ndarray):
        extents = tuple(shapes.constant(extent) for extent in value.shape)
        return Tensor(name, dtype_of_array(value), extents, TensorKind.INPUT)
    items: Sequence[Array] = value
    return Pack([tensor_of(item, f"{name}[{at}]") for at, item in enumerate(items)])


def array_dtype(dtype: str, real: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of the arrays that hold tensors of an element type."""
    return real if dtype == "real" else {"int": INT, "bool": BOOL, "str": STR}[dtype]


def fits(value: PlainValue) -> bool:
    """Return whether an int fits into 64 bits; other values always do."""
    return not isinstance(value, int) or _LEAST <= value <= _GREATEST


def static_shape(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the extents of a tensor; None if they are not all known."""
    if tensor.shape is None:
        return None
    found = [extent.value if isinstance(extent, Integer) else None for extent in tensor.shape]
    return None if None in found else tuple(extent for extent in found if extent is not None)


def bytes_of(value: Argument) -> int:
    """Return how much memory the elements of an argument take."""
    if value is None:
        return 0
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(item.nbytes for item in value)
