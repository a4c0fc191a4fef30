"""Tensor files, ``.dat`` (NNEF 1.0, 5.2): from bytes to arrays and back."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.files.bit_stream import packed, unpacked
from snd_runtime.files.blocks import read_blocks
from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.header import HEADER_BYTES, Header, read_header
from snd_runtime.files.quantized import decoded, encoded
from snd_runtime.files.storage import BLOCK_ITEM_BITS, FLOAT_BITS, ElementStorage, ItemKind

Array: TypeAlias = np.ndarray[Any, Any]

_FLOAT32_BITS = 24
"""Bits of the significand: float32 distinguishes all linear codes of this many bits."""


def read_tensor(content: bytes) -> Array:
    """Return the tensor in a file: ints are int64, reals have the precision of the file, quantized items are decoded.

    Raise InvalidFileError with the offset of the byte at fault; nothing is allocated before the header is believed.
    """
    header = read_header(content)
    storage, count = header.storage, prod(header.shape)
    data = memoryview(content)[HEADER_BYTES:]
    if storage.kind in BLOCK_ITEM_BITS:
        return read_blocks(data, count, storage.kind).reshape(header.shape)
    if storage.kind is ItemKind.STRING:
        return _strings(data, count).reshape(header.shape)
    if storage.kind is ItemKind.BOOL:
        order = np.unpackbits(np.frombuffer(data, np.uint8), count=count) if storage.bits == 1 else data
        return np.frombuffer(order, np.uint8, count).astype(np.bool_).reshape(header.shape)
    used_bits = count * storage.bits % 8
    if used_bits and data[-1] >> used_bits:
        raise InvalidFileError("the bits behind the last item must be 0", len(content) - 1)
    if storage.kind is ItemKind.FLOAT:
        dtype = np.dtype(f"<f{storage.bits // 8}")
        return np.frombuffer(data, dtype, count).astype(dtype.newbyteorder("=")).reshape(header.shape)
    codes = unpacked(data, count, storage.bits)
    if storage.kind is ItemKind.INTEGER:
        return _integers(codes, storage).reshape(header.shape)
    precision = np.float32 if storage.kind is ItemKind.LINEAR and storage.bits <= _FLOAT32_BITS else np.float64
    return decoded(codes, storage).astype(precision).reshape(header.shape)


def write_tensor(array: Array, storage: ElementStorage | None = None) -> bytes:
    """Return an array as a file; without ``storage`` in the form of its own type, bools as single bits.

    Raise ValueError for a tensor that the format, or the form of its items, cannot hold.
    """
    form = storage or _storage_of(array.dtype)
    head = Header(array.shape, form).to_bytes()
    if array.dtype.kind not in "biuf":
        raise ValueError("a tensor file holds numbers, not strings")
    items = np.ascontiguousarray(array).reshape(-1)
    if form.kind is ItemKind.FLOAT:
        with np.errstate(over="ignore"):  # too large values become infinite, as in IEEE 754
            return head + items.astype(f"<f{form.bits // 8}").tobytes()
    if form.kind is ItemKind.BOOL:
        bits = items.astype(np.bool_)
        return head + (np.packbits(bits) if form.bits == 1 else bits).tobytes()
    if form.kind is ItemKind.INTEGER:
        return head + packed(_integer_codes(items, form), form.bits)
    return head + packed(encoded(items, form), form.bits)


def _strings(data: memoryview, count: int) -> Array:
    found, at = np.empty(count, object), 0
    for number in range(count):
        if len(data) - at < 4:
            raise InvalidFileError(f"the file ends before string {number} of {count}", HEADER_BYTES + at)
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        if end > len(data):
            raise InvalidFileError(f"the file ends within string {number} of {count}", HEADER_BYTES + at)
        found[number], at = bytes(data[at + 4 : end]).decode(errors="replace"), end
    return found


def _integers(codes: Array, storage: ElementStorage) -> Array:
    if not storage.signed:
        beyond = np.flatnonzero(codes >> np.uint64(63))
        if beyond.size:
            at = int(beyond[0])
            raise InvalidFileError(f"{codes[at]} is too large for an int", HEADER_BYTES + at * storage.bits // 8)
        return codes.astype(np.int64)
    unused = np.int64(64 - storage.bits)
    return (codes.view(np.int64) << unused) >> unused


def _integer_codes(items: Array, storage: ElementStorage) -> Array:
    if items.dtype.kind == "f":
        raise ValueError("the items are reals, which can't be stored as ints")
    least = -(1 << (storage.bits - 1)) if storage.signed else 0
    greatest = (1 << (storage.bits - storage.signed)) - 1
    if items.size and not least <= int(items.min()) <= int(items.max()) <= greatest:
        kind = "signed" if storage.signed else "unsigned"
        found = f"{int(items.min())} to {int(items.max())}"
        raise ValueError(f"{kind} items of {storage.bits} bits hold {least} to {greatest}, not {found}")
    mask = np.uint64((1 << storage.bits) - 1)
    return items.astype(np.uint64 if items.dtype.kind != "i" else np.int64).view(np.uint64) & mask


def _storage_of(dtype: np.dtype[Any]) -> ElementStorage:
    """Return the form that keeps all values of an array. Raise ValueError if the format has none, as for strings."""
    if dtype.kind == "b":
        return ElementStorage(ItemKind.BOOL, 1)
    if dtype.kind in "iu":
        return ElementStorage(ItemKind.INTEGER, dtype.itemsize * 8, signed=dtype.kind == "i")
    if dtype.kind == "f" and dtype.itemsize * 8 in FLOAT_BITS:
        return ElementStorage(ItemKind.FLOAT, dtype.itemsize * 8)
    raise ValueError(f"a tensor file holds numbers, not items of type {'str' if dtype.kind in 'OU' else dtype}")
