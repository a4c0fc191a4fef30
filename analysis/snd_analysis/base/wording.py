"""Words that messages of all packages have in common."""

from __future__ import annotations


def counted(number: object, noun: str) -> str:
    """Return ``1 result``, ``2 results`` or, of a symbolic number, ``k results``."""
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"
