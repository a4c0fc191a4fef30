"""The types in which TOSA stores ints, and which attribute says the type of an input."""

from __future__ import annotations

from collections.abc import Container, Mapping

from snd_analysis.formats.intervals import Range, signed

STORED = {
    "int4_t": Range(-7, 7), "int8_t": signed(8), "int16_t": signed(16), "int32_t": signed(32), "int48_t": signed(48),
    "uint8_t": Range(0, 255), "uint16_t": Range(0, 65535),
}  # fmt: skip
"""Ranges of the types of storage. The weights of 4 bits leave out -8."""
WIDEST = "int32_t"
"""The widest type of operators without an attribute for it, such as CONCAT and IDENTITY."""
_APART: dict[str, tuple[str, ...]] = {
    "weight": ("weight_t",), "bias": ("out_t",), "multiplier": (), "shift": (), "indices": (),
}  # fmt: skip


def storage_attribute(tensor: str, attributes: Container[str]) -> str | None:
    """Return the attribute that says how an operator stores an input; None if the operator takes every type of it."""
    return next((each for each in _APART.get(tensor, ("in_out_t", "in_t")) if each in attributes), None)


def storage_of(tensor: str, attributes: Mapping[str, object]) -> str | None:
    """Return the type in which an operator stores an int input; None for multipliers, shifts and indices.

    An operator that takes every type takes none wider than 32 bits.
    """
    attribute = storage_attribute(tensor, attributes)
    if attribute is not None:
        return str(attributes[attribute])
    return None if tensor in _APART else WIDEST
