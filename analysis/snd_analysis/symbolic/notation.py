"""What has a text in the language's notation. ``printing``, which knows all of it, says which."""

from __future__ import annotations

from functools import singledispatch


@singledispatch
def notation(value: object) -> str:
    """Return the text of something symbolic. ``printing`` registers the function for each class."""
    raise TypeError(f"{type(value).__name__} has no notation")


class Notated:
    """Something symbolic, whose ``str`` is its notation."""

    __slots__ = ()

    def __str__(self) -> str:
        return notation(self)
