"""Inputs of a run: arrays, and values of Python that NumPy converts to arrays without a change of what they say."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from snd.errors import ArgumentError
from snd_runtime.lowering.lowered import Argument

Array: TypeAlias = np.ndarray[Any, Any]

_EMPTY = {"real": np.float64, "int": np.int64, "bool": np.bool_, "str": np.object_}
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def input_of(name: str, value: Any, dtype: str, is_pack: bool) -> Argument:
    """Return an input as an array, or a tuple of arrays for a pack. ``dtype`` is its declared type.

    Raise ArgumentError for values that are no arrays, for masked elements, and for ints beyond 64 bits.
    """
    if value is None:
        return None
    if is_pack and isinstance(value, list | tuple):
        return tuple(_array(f"{name}[{at}]", item, dtype) for at, item in enumerate(value))
    return _array(name, value, dtype)


def _array(name: str, value: Any, dtype: str) -> Array:
    demand_no_masked(f"the input '{name}'", value)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        why = "its lists have different lengths" if "inhomogeneous" in str(error) else str(error)
        raise ArgumentError(f"the input '{name}' is no array: {why}") from None
    if isinstance(value, list | tuple) and not array.size:
        return array.astype(_EMPTY.get(dtype, array.dtype))  # NumPy takes nothing for reals
    return _plain(name, array, dtype) if array.dtype.kind == "O" else array


def _plain(name: str, array: Array, dtype: str) -> Array:
    """Return an array of objects as one of ints, reals or bools; strings stay objects."""
    items = array.reshape(-1).tolist()
    kinds = {_kind(each) for each in items}
    if kinds == {"str"}:
        return array
    if kinds == {"bool"}:
        return array.astype(np.bool_)
    if kinds == {"int"} and dtype != "real":
        wide = next((each for each in items if not _LEAST <= each <= _MOST), None)
        if wide is not None:
            raise ArgumentError(f"the input '{name}' has an element that does not fit into 64 bits: {wide}")
        return array.astype(np.int64)
    if kinds <= {"int", "real"}:
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise ArgumentError(f"the input '{name}' has an int that is too large for a real") from None
    wrong = next(each for each in items if _kind(each) not in (dtype, "int" if dtype == "real" else dtype))
    if array.ndim == 0:
        raise ArgumentError(f"the input '{name}' is no array, but a value of the type '{type(wrong).__name__}'")
    raise ArgumentError(f"the input '{name}' is '{dtype}', and has an element of the type '{type(wrong).__name__}'")


def _kind(item: object) -> str | None:
    match item:
        case bool() | np.bool_():
            return "bool"
        case int() | np.integer():
            return "int"
        case float() | np.floating():
            return "real"
        case str():
            return "str"
    return None


def demand_no_masked(what: str, value: Any) -> None:
    """Raise ArgumentError for an array of ``numpy.ma`` with masked elements, also within lists: NumPy unmasks them."""
    if isinstance(value, list | tuple):
        for each in value:
            demand_no_masked(what, each)
    elif isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentError(f"{what} has masked elements, which tensors don't have: give them values by 'filled'")
