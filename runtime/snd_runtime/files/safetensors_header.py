"""The header of a ``safetensors`` file: its length, and in JSON the type, the extents and the place of each tensor."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from math import prod
from mmap import mmap

import msgspec
from msgspec import Struct

from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.limits import MOST_EXTENT

LENGTH_BYTES = 8
_METADATA = "__metadata__"
BFLOAT = "BF16"
DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", BFLOAT: "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}  # fmt: skip


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
        return DTYPES[self.layout]

    @property
    def is_plain(self) -> bool:
        """Return whether the bytes are plain items, in an order that every NumPy reads, and not empty."""
        return self.layout not in (BFLOAT, "U64") and self.end > self.begin

    @property
    def dtype(self) -> str:
        """The type that the items have in a graph."""
        if self.layout == "BOOL":
            return "bool"
        return "int" if self.layout[0] in "IU" else "real"


def read_safetensors_header(content: bytes | mmap, file_bytes: int | None = None) -> dict[str, SafeTensor]:
    """Return the tensors of a file. ``content`` is only its beginning if ``file_bytes`` is given.

    Raise InvalidFileError; nothing is allocated for the claims of a header.
    """
    file_bytes = len(content) if file_bytes is None else file_bytes
    if len(content) < LENGTH_BYTES:
        raise InvalidFileError("the file ends within the header", len(content))
    length = int.from_bytes(content[:LENGTH_BYTES], "little")
    first = LENGTH_BYTES + length
    if len(content) < first <= file_bytes:
        most = len(content) - LENGTH_BYTES
        raise InvalidFileError(f"the header has {length:,} bytes, more than the {most:,} allowed", 0)
    if file_bytes < first:
        raise InvalidFileError("the file ends within the header", len(content))
    try:
        raw = msgspec.json.decode(content[LENGTH_BYTES:first], type=dict[str, msgspec.Raw])
        _demand_names_once(content[LENGTH_BYTES:first], len(raw.keys() - {_METADATA}))
        entries = {name: msgspec.json.decode(entry, type=_Entry) for name, entry in raw.items() if name != _METADATA}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidFileError(f"this is not a header of safetensors: {error}", LENGTH_BYTES) from None
    found = {name: _tensor(name, entry, first, file_bytes) for name, entry in entries.items()}
    _demand_in_a_row(found, first, file_bytes)
    return found


def _demand_names_once(header: bytes, count: int) -> None:
    """Raise InvalidFileError if the header has more than ``count`` entries: then some names are repeated."""
    if header.count(b'"data_offsets"') <= count:
        return  # reading the header again takes longer than all else
    names: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        names[:] = [name for name, _ in pairs]  # the outermost object is the last

    json.loads(header, object_pairs_hook=note)
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InvalidFileError(f"two of its tensors have the name '{twice}'", LENGTH_BYTES)


def _demand_in_a_row(tensors: Mapping[str, SafeTensor], first: int, file_bytes: int) -> None:
    """Raise InvalidFileError for tensors with common bytes, and for bytes of no tensor, as the format does.

    Common bytes would fill the memory, and the header of a file with other bytes may be that of another file.
    """
    end, before = first, ""
    for name, each in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if each.begin < end and each.end > each.begin:
            raise InvalidFileError(f"'{name}' overlaps '{before}': they share bytes", LENGTH_BYTES)
        if each.begin > end:
            raise InvalidFileError(f"{each.begin - end} bytes before '{name}' belong to no tensor", end)
        end, before = max(end, each.end), name
    if end < file_bytes:
        raise InvalidFileError(f"the last {file_bytes - end} bytes belong to no tensor", end)


def _tensor(name: str, entry: _Entry, first: int, file_bytes: int) -> SafeTensor:
    begin, end = (first + each for each in entry.data_offsets)
    code = DTYPES.get(entry.dtype)
    if code is None:
        raise InvalidFileError(f"'{name}' has items of type {entry.dtype}, which snd does not read", LENGTH_BYTES)
    if not all(0 <= extent < MOST_EXTENT for extent in entry.shape):
        raise InvalidFileError(f"'{name}' has the shape {list(entry.shape)}", LENGTH_BYTES)
    needed = prod(entry.shape) * int(code[-1].replace("?", "1"))
    if end - begin != needed:
        message = f"'{name}' has {end - begin:,} bytes, but {list(entry.shape)} items of type {entry.dtype} take "
        raise InvalidFileError(f"{message}{needed:,}", LENGTH_BYTES)
    if begin < first or end > file_bytes:
        raise InvalidFileError(f"the data of '{name}' is not within the file", LENGTH_BYTES)
    return SafeTensor(entry.dtype, entry.shape, begin, end)
