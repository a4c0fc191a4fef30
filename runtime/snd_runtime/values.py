"""Arrays of the four types: from nested lists and from arrays of any kind, and as text in the language's notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isinf
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.limits import MOST_RANK

Array: TypeAlias = np.ndarray[Any, Any]
PlainValue: TypeAlias = "int | float | bool | str | tuple[PlainValue, ...] | None"
"""The value of an attribute as one of Python: null is None, packs are tuples."""

FLOAT32 = np.dtype(np.float32)
_INDENT_WIDTH = 1
_GREATEST_INT = (1 << 63) - 1


def dtype_name(array: Array) -> str:
    """Return ``int``, ``real``, ``bool`` or ``str``. Raise ValueError for an array of anything else."""
    kinds = {"i": "int", "u": "int", "f": "real", "b": "bool", "O": "str", "U": "str"}
    if array.dtype.kind not in kinds:
        raise ValueError(f"items of type {array.dtype} are neither numbers nor bools nor strings")
    return kinds[array.dtype.kind]


def numpy_dtype(dtype: str, real: np.dtype[Any] = FLOAT32) -> np.dtype[Any]:
    """Return the NumPy type for ``int``, ``real``, ``bool`` or ``str``."""
    return {"int": np.dtype(np.int64), "real": real, "bool": np.dtype(np.bool_), "str": np.dtype(object)}[dtype]


# ---- from lists ------------------------------------------------------------------------------------------------------
def array_of(value: Any, dtype: str, real: np.dtype[Any] = FLOAT32) -> Array:
    """Return a number, bool or string, or lists of them nested to any depth, as a tensor of type ``dtype``.

    Ints are accepted as reals. Raise ValueError for lists of different lengths and items of other types.
    """
    shape = _shape(value)
    items = list(_items(value, shape, ()))
    for item in items:
        _demand_type(item, dtype)
    return filled(items, numpy_dtype(dtype, real)).reshape(shape)


def filled(items: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    """Single values as a tensor of rank 1. Raise ValueError for a number that does not fit into the type."""
    array = np.empty(len(items), dtype)
    try:
        with np.errstate(over="ignore"):
            array[:] = items
    except OverflowError:
        what = "a real" if dtype.kind == "f" else "64 bits"
        raise ValueError(f"an int does not fit into {what}") from None
    if dtype.kind == "f":
        for at in map(int, np.flatnonzero(np.isinf(array))):
            if not isinf(items[at]):
                raise ValueError(f"{items[at]} does not fit into a real of {dtype.itemsize * 8} bits")
    return array


def _shape(value: Any) -> tuple[int, ...]:
    shape = []
    while isinstance(value, Sequence) and not isinstance(value, str):
        shape.append(len(value))
        if len(shape) > MOST_RANK:
            raise ValueError(f"it has more than {MOST_RANK} dimensions")
        if not value:
            break
        value = value[0]
    return tuple(shape)


def _items(value: Any, shape: tuple[int, ...], at: tuple[int, ...]) -> Iterator[Any]:
    where = "".join(f"[{index}]" for index in at)
    if not shape:
        if isinstance(value, Sequence) and not isinstance(value, str):
            raise ValueError(f"the item {where} is a list, but the first one at its depth is not")
        yield value
        return
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError(f"the item {where} is no list, but the first one at its depth is")
    if len(value) != shape[0]:
        raise ValueError(f"the list {where} has {len(value)} items, but the first one at its depth has {shape[0]}")
    for index, item in enumerate(value):
        yield from _items(item, shape[1:], (*at, index))


def _demand_type(item: Any, dtype: str) -> None:
    found = {bool: "bool", int: "int", float: "real", str: "str"}.get(type(item))
    if found != dtype and (found, dtype) != ("int", "real"):
        raise ValueError(f"{item!r} is no {dtype}")


# ---- from arrays -----------------------------------------------------------------------------------------------------
def converted(array: Array, dtype: str, real: np.dtype[Any] = FLOAT32) -> Array:
    """Return an array, for example from a file, as a tensor of type ``dtype``.

    Ints are accepted as reals, 0 and 1 as bools.

    Raise ValueError for items that would not be the same.
    """
    found = dtype_name(array)
    if array.ndim > MOST_RANK:
        raise ValueError(f"it has {array.ndim} dimensions, more than {MOST_RANK}")
    if dtype == "bool" and found == "int":
        if array.size and not 0 <= int(array.min()) <= int(array.max()) <= 1:
            raise ValueError("it must hold bools, but it has ints other than 0 and 1")
    elif found != dtype and (found, dtype) != ("int", "real"):
        raise ValueError(f"its type is '{found}', not '{dtype}'")
    if array.dtype == np.uint64 and dtype == "int" and array.size and int(array.max()) > _GREATEST_INT:
        raise ValueError(f"{array.max()} is too large for an int")
    with np.errstate(over="ignore"):  # as in IEEE 754: users may not be able to change such a file
        return array.astype(numpy_dtype(dtype, real), copy=False)


# ---- as text ---------------------------------------------------------------------------------------------------------
def value_text(array: Array, indent: int = 0) -> str:
    """Return all items as nested lists, a line for each row; lines after the first are indented by so many spaces.

    Reals have the digits that tell them from all others of their precision.
    """
    if array.ndim == 0:
        return item_text(array[()])
    if array.ndim == 1:
        return f"[{', '.join(item_text(item) for item in array)}]"
    between = ",\n" + " " * (indent + _INDENT_WIDTH)
    return f"[{between.join(value_text(part, indent + _INDENT_WIDTH) for part in array)}]"


def item_text(item: Any) -> str:
    """Return an item as the language writes it. NaN and infinity, which have no literal, are ``nan`` and ``inf``."""
    if isinstance(item, bool | np.bool_):
        return "true" if item else "false"
    if isinstance(item, str):
        escaped = item.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
        return f"'{escaped}'"
    return str(item)
