"""Files of the ``safetensors`` format: a header, and the tensors behind it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod
from typing import Any, TypeAlias

import msgspec
import numpy as np

from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.safetensors_header import BFLOAT, DTYPES, LENGTH_BYTES, SafeTensor, read_safetensors_header

Array: TypeAlias = np.ndarray[Any, Any]

_WRITTEN = {np.dtype(code): name for name, code in DTYPES.items() if name != BFLOAT}


def read_safetensors(content: bytes, only: Collection[str] | None = None) -> dict[str, Array]:
    """Return the tensors of a file by name, or only those in ``only``. Raise InvalidFileError.

    Ints are int64, and reals of type BF16 have 32 bits.
    """
    found = read_safetensors_header(content)
    return {name: _array(content, name, each) for name, each in found.items() if only is None or name in only}


def _array(content: bytes, name: str, tensor: SafeTensor) -> Array:
    items = np.frombuffer(content, DTYPES[tensor.layout], prod(tensor.shape), tensor.begin)
    try:
        items = items.reshape(tensor.shape)
    except ValueError as error:
        raise InvalidFileError(f"no tensor can have the shape of '{name}': {error}", LENGTH_BYTES) from None
    if tensor.layout == BFLOAT:
        return (items.astype(np.uint32) << 16).view(np.float32)
    if tensor.layout == "U64" and items.size and int(items.max()) >> 63:
        raise InvalidFileError(f"'{name}' has an item that is too large for an int", tensor.begin)
    if tensor.dtype == "int":
        return items.astype(np.int64, copy=False)
    return items.astype(items.dtype.newbyteorder("="), copy=False)


def write_safetensors(arrays: Mapping[str, Array]) -> bytes:
    """Return arrays by name as a file. Raise ValueError for items that the format doesn't have."""
    entries: dict[str, object] = {}
    pieces: list[bytes] = []
    at = 0
    for name, array in arrays.items():
        layout = _WRITTEN.get(array.dtype.newbyteorder("="))
        if layout is None:
            raise ValueError(f"safetensors has no items of type {array.dtype}")
        pieces.append(array.astype(DTYPES[layout]).tobytes())
        entries[name] = {"dtype": layout, "shape": array.shape, "data_offsets": (at, at + len(pieces[-1]))}
        at += len(pieces[-1])
    header = msgspec.json.encode(entries)
    header = header.ljust(-(-len(header) // LENGTH_BYTES) * LENGTH_BYTES)  # data begins at a whole word
    return b"".join([len(header).to_bytes(LENGTH_BYTES, "little"), header, *pieces])
