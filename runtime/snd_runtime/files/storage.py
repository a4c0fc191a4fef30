"""Storage of the items of a tensor file (NNEF 1.0, 5.2)."""

from __future__ import annotations

import math
import struct
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import force_setattr

GREATEST_BITS = 64
FLOAT_BITS = (16, 32, 64)


class InvalidStorageError(ValueError):
    """A form of items that the format does not know; ``field`` of ElementStorage is at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class ItemKind(IntEnum):
    """Codings of items: of the text of NNEF 1.0, of Khronos' tools, and of tract."""

    FLOAT = 0x00
    INTEGER = 0x01
    BOOL = 0x05
    LINEAR = 0x10
    """Quantized in equal steps from ``least`` to ``greatest``."""
    LOGARITHMIC = 0x11
    """Quantized to powers of two up to ``greatest``."""
    STRING = 0x1000_5452
    """Strings of tract: the length of each in 32 bits, and its bytes."""
    Q4_0 = 0x3040_5452
    """Blocks of tract, of 32 items: a 16-bit scale and 4 bits each; the first half in the low bits."""
    Q4_0_PAIRS = 0x2040_5452
    """The same, with neighbours in one byte."""
    Q8_1 = 0x3080_5452
    """Blocks of tract, of 32 items: a 16-bit scale, optionally a 16-bit sum, and 8 bits each."""


BLOCK_ITEM_BITS = {ItemKind.Q4_0: 4, ItemKind.Q4_0_PAIRS: 4, ItemKind.Q8_1: 8}
"""Bits per item of the codings in blocks with a common scale."""
BLOCK_ITEMS = 32


class ElementStorage(Struct, frozen=True):
    """The form of items of ``bits`` bits. ``signed`` is for INTEGER; the range of values for the quantized kinds.

    The range is rounded to the 32-bit reals of the file. LOGARITHMIC is signed if ``least`` is ``-greatest``, else
    ``least`` is 0. Raises InvalidStorageError for unknown forms.
    """

    kind: ItemKind
    bits: int
    signed: bool = False
    least: float = 0.0
    greatest: float = 0.0

    def __post_init__(self) -> None:
        for name in ("least", "greatest"):
            force_setattr(self, name, _as_float32(getattr(self, name)))
        fault = self._fault()
        if fault is not None:
            raise InvalidStorageError(*fault)

    def _fault(self) -> tuple[str, str] | None:
        """Return the field that is wrong, and why."""
        if self.kind in BLOCK_ITEM_BITS or self.kind is ItemKind.STRING:
            return None
        if self.kind is ItemKind.BOOL:
            return None if self.bits in (1, 8) else ("bits", f"bools have 1 or 8 bits, not {self.bits}")
        if not 1 <= self.bits <= GREATEST_BITS:
            return "bits", f"items have 1 to {GREATEST_BITS} bits, not {self.bits}"
        if self.kind is ItemKind.FLOAT and self.bits not in FLOAT_BITS:
            return "bits", f"floating point items have 16, 32 or 64 bits, not {self.bits}"
        if self.kind in (ItemKind.FLOAT, ItemKind.INTEGER):
            return None
        for field, bound in (("least", self.least), ("greatest", self.greatest)):
            if not math.isfinite(bound):
                return field, f"the range of quantized values is bounded by {bound}, which is no finite number"
        if self.kind is ItemKind.LINEAR:
            return None
        if self.greatest <= 0:
            return "greatest", f"logarithmic quantization needs a maximum above 0, not {self.greatest:g}"
        if self.least not in (0.0, -self.greatest):
            wanted = f"0 or {-self.greatest:g}"
            return "least", f"the minimum of logarithmic quantization must be {wanted}, not {self.least:g}"
        if self.has_sign_bit and self.bits == 1:
            return "bits", "signed logarithmic quantization needs a bit beside that of the sign"
        return None

    @property
    def dtype(self) -> str:
        """The type that the items have in a graph."""
        match self.kind:
            case ItemKind.INTEGER:
                return "int"
            case ItemKind.BOOL:
                return "bool"
            case ItemKind.STRING:
                return "str"
            case _:
                return "real"

    @property
    def in_blocks(self) -> bool:
        """Return whether items are stored in blocks with a common scale."""
        return self.kind in BLOCK_ITEM_BITS

    @property
    def has_sign_bit(self) -> bool:
        """Return whether one of the bits of a quantized item is the sign."""
        return self.kind is ItemKind.LOGARITHMIC and self.least < 0

    @property
    def levels(self) -> int:
        """The greatest code of a quantized item, without its sign."""
        return (1 << (self.bits - self.has_sign_bit)) - 1


def _as_float32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
