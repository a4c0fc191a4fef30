"""Files of the ``safetensors`` format: the length of a header, the header in JSON, and the tensors behind it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod
from mmap import mmap
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from snd_runtime.files.errors import InvalidFileError

Array: TypeAlias = np.ndarray[Any, Any]

_LENGTH_BYTES = 8
_MOST_EXTENT = 1 << 48
_METADATA = "__metadata__"
_BFLOAT = "BF16"
_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", _BFLOAT: "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip
_WRITTEN = {np.dtype(code): name for name, code in _DTYPES.items() if name != _BFLOAT}


class _Entry(Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class SafeTensor(Struct, frozen=True):
    """One tensor of a file: its type as the format has it, its extents, and where its bytes are."""

    layout: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def code(self) -> str:
        """The type that the items have in the file, as NumPy writes it."""
        return _DTYPES[self.layout]

    @property
    def is_plain(self) -> bool:
        """Whether the bytes are items as they are, in an order that every NumPy reads, and not none."""
        return self.layout not in (_BFLOAT, "U64") and self.end > self.begin

    @property
    def dtype(self) -> str:
        """The type that the items have in a graph."""
        if self.layout == "BOOL":
            return "bool"
        return "int" if self.layout[0] in "IU" else "real"


def read_safetensors_header(content: bytes | mmap, file_bytes: int | None = None) -> dict[str, SafeTensor]:
    """Return the tensors of a file, of which ``content`` is the beginning if it has ``file_bytes``.

    Raises InvalidFileError; nothing is allocated by what a header claims.
    """
    file_bytes = len(content) if file_bytes is None else file_bytes
    if len(content) < _LENGTH_BYTES:
        raise InvalidFileError("the file ends within the header", len(content))
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    first = _LENGTH_BYTES + length
    if len(content) < first <= file_bytes:
        most = len(content) - _LENGTH_BYTES
        raise InvalidFileError(f"the header has {length:,} bytes, more than the {most:,} allowed", 0)
    if file_bytes < first:
        raise InvalidFileError("the file ends within the header", len(content))
    try:
        raw = msgspec.json.decode(content[_LENGTH_BYTES:first], type=dict[str, msgspec.Raw])
        entries = {name: msgspec.json.decode(entry, type=_Entry) for name, entry in raw.items() if name != _METADATA}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidFileError(f"the header is none of safetensors: {error}", _LENGTH_BYTES) from None
    return {name: _tensor(name, entry, first, file_bytes) for name, entry in entries.items()}


def _tensor(name: str, entry: _Entry, first: int, file_bytes: int) -> SafeTensor:
    begin, end = (first + each for each in entry.data_offsets)
    code = _DTYPES.get(entry.dtype)
    if code is None:
        raise InvalidFileError(f"'{name}' has items of type {entry.dtype}, which snd does not read", _LENGTH_BYTES)
    if not all(0 <= extent < _MOST_EXTENT for extent in entry.shape):
        raise InvalidFileError(f"'{name}' has the shape {list(entry.shape)}", _LENGTH_BYTES)
    needed = prod(entry.shape) * np.dtype(code).itemsize
    if end - begin != needed:
        message = f"'{name}' has {end - begin:,} bytes, but {list(entry.shape)} items of type {entry.dtype} take "
        raise InvalidFileError(f"{message}{needed:,}", _LENGTH_BYTES)
    if begin < first or end > file_bytes:
        raise InvalidFileError(f"the data of '{name}' is not within the file", _LENGTH_BYTES)
    return SafeTensor(entry.dtype, entry.shape, begin, end)


def read_safetensors(content: bytes, only: Collection[str] | None = None) -> dict[str, Array]:
    """Return the tensors of a file by name, or those of the names in ``only`` that it has. Raises InvalidFileError.

    Ints are int64, and reals of type BF16 have 32 bits.
    """
    found = read_safetensors_header(content)
    return {name: _array(content, name, each) for name, each in found.items() if only is None or name in only}


def _array(content: bytes, name: str, tensor: SafeTensor) -> Array:
    items = np.frombuffer(content, _DTYPES[tensor.layout], prod(tensor.shape), tensor.begin)
    try:
        items = items.reshape(tensor.shape)
    except ValueError as error:
        raise InvalidFileError(f"no tensor can have the shape of '{name}': {error}", _LENGTH_BYTES) from None
    if tensor.layout == _BFLOAT:
        return (items.astype(np.uint32) << 16).view(np.float32)
    if tensor.layout == "U64" and items.size and int(items.max()) >> 63:
        raise InvalidFileError(f"'{name}' has an item that is too large for an int", tensor.begin)
    if tensor.dtype == "int":
        return items.astype(np.int64, copy=False)
    return items.astype(items.dtype.newbyteorder("="), copy=False)


def write_safetensors(arrays: Mapping[str, Array]) -> bytes:
    """Return arrays by name as a file. Raises ValueError for items that the format doesn't have."""
    entries: dict[str, object] = {}
    pieces: list[bytes] = []
    at = 0
    for name, array in arrays.items():
        layout = _WRITTEN.get(array.dtype.newbyteorder("="))
        if layout is None:
            raise ValueError(f"safetensors has no items of type {array.dtype}")
        pieces.append(array.astype(_DTYPES[layout]).tobytes())
        entries[name] = {"dtype": layout, "shape": array.shape, "data_offsets": (at, at + len(pieces[-1]))}
        at += len(pieces[-1])
    header = msgspec.json.encode(entries)
    header = header.ljust(-(-len(header) // _LENGTH_BYTES) * _LENGTH_BYTES)  # data begins at a whole word
    return b"".join([len(header).to_bytes(_LENGTH_BYTES, "little"), header, *pieces])
