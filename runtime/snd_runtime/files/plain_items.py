"""The items of small tensor files without NumPy, which takes longer to load than many models to check."""

from __future__ import annotations

import struct
from math import prod

from snd_runtime.files.header import HEADER_BYTES, Header
from snd_runtime.files.storage import ItemKind

_FLOATS = {16: "e", 32: "f", 64: "d"}
_SIGNED = {8: "b", 16: "h", 32: "i", 64: "q"}
_UNSIGNED = {8: "B", 16: "H", 32: "I"}


def plain_items(content: bytes, header: Header) -> list[float] | None:
    """Return the items of a tensor file in order; None where the file has to be read as a tensor to know them."""
    storage = header.storage
    match storage.kind:
        case ItemKind.FLOAT:
            letter = _FLOATS.get(storage.bits)
        case ItemKind.INTEGER:
            letter = (_SIGNED if storage.signed else _UNSIGNED).get(storage.bits)
        case _:
            letter = None
    if letter is None:
        return None
    return list(struct.unpack_from(f"<{prod(header.shape)}{letter}", content, HEADER_BYTES))
