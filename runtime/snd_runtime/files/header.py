"""The header of a tensor file: 128 bytes, little-endian (NNEF 1.0, 5.2)."""

from __future__ import annotations

import struct
from math import prod

from msgspec import Struct

from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.storage import BLOCK_ITEM_BITS, BLOCK_ITEMS, ElementStorage, InvalidStorageError, ItemKind

HEADER_BYTES = 128
GREATEST_RANK = 8
_GREATEST_EXTENT = (1 << 32) - 1
_MAGIC = b"\x4e\xef"
_VERSION = (1, 0)
_LENGTH, _RANK, _EXTENTS, _BITS, _CODE, _PARAMETERS, _RESERVED = 4, 8, 12, 44, 48, 52, 84
_FIELD_OFFSETS = {"bits": _BITS, "least": _PARAMETERS, "greatest": _PARAMETERS + 4}
_KNOWN_CODES = frozenset({ItemKind.FLOAT, ItemKind.INTEGER, ItemKind.BOOL, ItemKind.LINEAR, ItemKind.LOGARITHMIC})
_INTEGERS = {2: bytes(4), 3: b"\1\0\0\0", 4: b"\1\0\0\0"}
"""Codes of ints by Khronos' tools and tract, with the bytes that select a sign for code 1."""
_SIGNED = 4
"""Signed ints of whole bytes are written so: Khronos' tools and tract take the code of the text for unsigned ones."""
_WHOLE_BYTES = (8, 16, 32, 64)
_TRACT = 0x5452
_COMPLEX = (0, 4)
"""Codes that tract gives to complex numbers of reals and of ints."""
_Q8_1_WRITTEN = 0x3081_5452
"""tract writes another code than it reads."""
_OF_TRACT = frozenset({ItemKind.STRING, ItemKind.Q4_0, ItemKind.Q4_0_PAIRS, ItemKind.Q8_1, _Q8_1_WRITTEN})
_LAYOUT = struct.Struct("<2sBBII8III32s")


class Header(Struct, frozen=True):
    """The shape of the tensor, and how its items are stored."""

    shape: tuple[int, ...]
    storage: ElementStorage

    @property
    def data_bytes(self) -> int:
        """Number of bytes after the header; blocks with a sum have 2 bytes more each."""
        item_bits = BLOCK_ITEM_BITS.get(self.storage.kind)
        if item_bits is not None:
            return prod(self.shape) // BLOCK_ITEMS * (2 + BLOCK_ITEMS * item_bits // 8)
        return (prod(self.shape) * self.storage.bits + 7) // 8

    def to_bytes(self) -> bytes:
        """Return the 128 bytes. Raise ValueError for a tensor that is too large for the format."""
        if len(self.shape) > GREATEST_RANK:
            raise ValueError(f"a tensor file holds up to {GREATEST_RANK} dimensions, not {len(self.shape)}")
        if max(self.shape, default=0) > _GREATEST_EXTENT or self.data_bytes > _GREATEST_EXTENT:
            raise ValueError("a tensor file holds less than 4 GiB")
        extents = (*self.shape, *(0,) * (GREATEST_RANK - len(self.shape)))
        head = _LAYOUT.pack(
            _MAGIC, *_VERSION, self.data_bytes, len(self.shape), *extents,
            self.storage.bits, *_written(self.storage),
        )  # fmt: skip
        return head.ljust(HEADER_BYTES, b"\0")


def with_shape(content: bytes, shape: tuple[int, ...]) -> bytes:
    """Return a file with other extents of the same volume. Raise ValueError for more dimensions than there may be."""
    if len(shape) > GREATEST_RANK:
        raise ValueError(f"a tensor file holds up to {GREATEST_RANK} dimensions, not {len(shape)}")
    extents = struct.pack(f"<I{GREATEST_RANK}I", len(shape), *shape, *(0,) * (GREATEST_RANK - len(shape)))
    return content[:_RANK] + extents + content[_BITS:]


def read_header(content: bytes, file_bytes: int | None = None) -> Header:
    """Return the header of a file. ``content`` is only its beginning if ``file_bytes`` is given.

    Raise InvalidFileError with the offset of the wrong field. Nothing is allocated for a header before its claims agree
    with one another and with the file.
    """
    if len(content) < HEADER_BYTES:
        raise InvalidFileError(f"the file ends within the header, which has {HEADER_BYTES} bytes", len(content))
    magic, major, minor, length, rank, *rest = _LAYOUT.unpack_from(content)
    extents, (bits, code, parameters) = rest[:GREATEST_RANK], rest[GREATEST_RANK:]
    if magic != _MAGIC:
        at = 0 if magic[:1] != _MAGIC[:1] else 1
        raise InvalidFileError("this is not a tensor file: one begins with 0x4E 0xEF ('N' and 0xEF)", at)
    if (major, minor) != _VERSION:
        raise InvalidFileError(f"the version is {major}.{minor}, and only 1.0 is known", 2 if major != 1 else 3)
    if rank > GREATEST_RANK:
        raise InvalidFileError(f"the rank is {rank}, more than the {GREATEST_RANK} that the format allows", _RANK)
    for at, extent in enumerate(extents[rank:], rank):
        if extent:
            message = f"extent {at} is {extent}, but beyond the rank, {rank}, extents must be 0"
            raise InvalidFileError(message, _EXTENTS + 4 * at)
    reserved = content[_RESERVED:HEADER_BYTES]
    if any(reserved):
        at = _RESERVED + next(at for at, byte in enumerate(reserved) if byte)
        raise InvalidFileError("this byte is reserved and must be 0", at)
    header = Header(tuple(extents[:rank]), _storage(bits, code, parameters))
    _check_length(header, length, len(content) if file_bytes is None else file_bytes)
    return header


def _check_length(header: Header, claimed: int, file_bytes: int) -> None:
    needed = header.data_bytes
    if header.storage.kind in BLOCK_ITEM_BITS and prod(header.shape) % BLOCK_ITEMS:
        message = f"items are stored in blocks of {BLOCK_ITEMS}, but there are {prod(header.shape)} of them"
        raise InvalidFileError(message, _EXTENTS)
    if header.storage.kind is ItemKind.STRING:
        return  # the length field has no meaning, and items have none in common
    if header.storage.kind is ItemKind.Q8_1 and claimed == needed + prod(header.shape) // BLOCK_ITEMS * 2:
        needed = claimed
    if claimed != needed:
        shape = list(header.shape)
        message = f"the data has {claimed:,} bytes, but {shape} items of {header.storage.bits} bits take {needed:,}"
        raise InvalidFileError(message, _LENGTH)
    if file_bytes < HEADER_BYTES + needed:
        missing = HEADER_BYTES + needed - file_bytes
        raise InvalidFileError(f"the file ends {missing:,} bytes before the end of the data", file_bytes)
    if file_bytes > HEADER_BYTES + needed:
        raise InvalidFileError("the file goes on after the end of the data", HEADER_BYTES + needed)
    # If one extent is 0, only the limits of arrays bound the others, not the length of the data.
    volume = prod(extent for extent in header.shape if extent)
    if volume * 8 >= 1 << 63:
        raise InvalidFileError(f"no tensor can have the shape {list(header.shape)}", _EXTENTS)


def _storage(bits: int, code: int, parameters: bytes) -> ElementStorage:
    vendor, algorithm = code >> 16, code & 0xFFFF
    if algorithm == 0 and vendor in _KNOWN_CODES:  # The two halves in order of their bytes, see docs/language.md.
        vendor, algorithm = algorithm, vendor
    if vendor == _TRACT and (of_tract := algorithm << 16 | _TRACT) in _OF_TRACT:
        return ElementStorage(ItemKind.Q8_1 if of_tract == _Q8_1_WRITTEN else ItemKind(of_tract), 0)
    if vendor == _TRACT and algorithm in _COMPLEX:
        raise InvalidFileError("the items are complex numbers, which snd does not have", _CODE)
    if vendor == 0 and algorithm in _INTEGERS:
        algorithm, parameters = ItemKind.INTEGER, _INTEGERS[algorithm]
    if vendor != 0:
        raise InvalidFileError(f"the items are coded by vendor 0x{vendor:X}; only Khronos' (0) are known", _CODE)
    if algorithm not in _KNOWN_CODES:
        raise InvalidFileError(f"the items are coded by 0x{algorithm:X}, which NNEF 1.0 does not define", _CODE)
    kind = ItemKind(algorithm)
    signed, least, greatest = False, 0.0, 0.0
    if kind is ItemKind.INTEGER:
        signed = parameters[:4] != bytes(4)
    elif kind in (ItemKind.LINEAR, ItemKind.LOGARITHMIC):
        least, greatest = struct.unpack_from("<ff", parameters)
    try:
        return ElementStorage(kind, bits, signed, least, greatest)
    except InvalidStorageError as error:
        raise InvalidFileError(error.message, _FIELD_OFFSETS[error.field]) from None


def _written(storage: ElementStorage) -> tuple[int, bytes]:
    """Return the code of a form and its parameters."""
    if storage.kind is ItemKind.INTEGER and storage.signed and storage.bits in _WHOLE_BYTES:
        return _SIGNED, b""
    if storage.kind is ItemKind.INTEGER:
        return storage.kind, struct.pack("<I", storage.signed)
    if storage.kind in (ItemKind.FLOAT, ItemKind.BOOL):
        return storage.kind, b""
    return storage.kind, struct.pack("<ff", storage.least, storage.greatest)
