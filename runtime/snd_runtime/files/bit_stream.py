"""Unsigned numbers of any number of bits, one after the other in a sequence of bytes (NNEF 1.0, 5.2).

The format is little-endian: a number begins at the least significant bit that is free. For whole bytes this is the
usual order of bytes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

_CHUNK = 1 << 15
"""Numbers at a time: bits take a byte each while they are moved. A multiple of 8, so that a chunk ends with a byte."""


def unpacked(data: memoryview, count: int, bits: int) -> Array:
    """Return the first ``count`` numbers of ``bits`` bits (1 to 64), as uint64."""
    if bits in (8, 16, 32, 64):
        return np.frombuffer(data, f"<u{bits // 8}", count).astype(np.uint64)
    numbers = np.empty(count, np.uint64)
    for begin in range(0, count, _CHUNK):
        number = min(_CHUNK, count - begin)
        first = begin * bits // 8
        piece = np.frombuffer(data, np.uint8, (number * bits + 7) // 8, first)
        single = np.unpackbits(piece, bitorder="little", count=number * bits).reshape(number, bits)
        wide = np.zeros((number, 64), np.uint8)
        wide[:, :bits] = single
        numbers[begin : begin + number] = np.packbits(wide, axis=1, bitorder="little").view("<u8").reshape(-1)
    return numbers


def packed(numbers: Array, bits: int) -> bytes:
    """Return numbers of uint64 below ``2 ** bits`` as bytes, the last filled up with zero bits."""
    if bits in (8, 16, 32, 64):
        return numbers.astype(f"<u{bits // 8}").tobytes()
    pieces = []
    for begin in range(0, len(numbers), _CHUNK):
        piece = np.ascontiguousarray(numbers[begin : begin + _CHUNK], "<u8")
        wide = np.unpackbits(piece.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        pieces.append(np.packbits(wide[:, :bits].reshape(-1), bitorder="little").tobytes())
    return b"".join(pieces)
