"""Base classes of objects with a text in the language's notation; ``printing`` produces the text."""

from __future__ import annotations

from functools import singledispatch
from typing import Any


@singledispatch
def notation(value: object) -> str:
    """Return the text of something symbolic. ``printing`` registers the function for each class."""
    raise TypeError(f"{type(value).__name__} has no notation")


class Notated:
    """A symbolic object whose ``str`` is its notation."""

    __slots__ = ()

    def __str__(self) -> str:
        return notation(self)


class Composed(Notated):
    """A symbolic object that equals others of its class and parts. ``hash`` is cached: parts nest deep."""

    __slots__ = ("hash", "parts")

    hash: int
    parts: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self.hash == other.hash and self.parts == other.parts

    def __hash__(self) -> int:
        return self.hash
