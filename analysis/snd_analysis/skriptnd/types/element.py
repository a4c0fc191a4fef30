"""Element types that an operation accepts (2.3, 2.4, 2.13)."""

from __future__ import annotations

from snd_analysis.skriptnd.types.type import Dtype


def is_numeric(dtype: Dtype) -> bool:
    """Return whether every type that ``dtype`` may be bound to is int or real."""
    return dtype.base == "num" if dtype.is_generic else dtype.name in ("int", "real")


def is_arithmetic(dtype: Dtype) -> bool:
    """Return whether every type that ``dtype`` may be bound to is int, real or bool, which casts accept."""
    return dtype.base in ("num", "arith") if dtype.is_generic else dtype.name in ("int", "real", "bool")


def described(dtype: Dtype) -> str:
    """Return a type in a message; a generic one with its base, which makes it unfit."""
    return f"'{dtype}: {dtype.base}'" if dtype.is_generic else f"'{dtype}'"
