"""Whether what is typed could be meant to be a name."""

from __future__ import annotations


def matches(typed: str, *names: str) -> bool:
    """Whether the letters that are typed occur in one of the names in their order, as clients compare them."""
    if not typed:
        return True
    wanted = typed.casefold()
    return any(_is_within(wanted, name.casefold()) for name in names)


def _is_within(wanted: str, name: str) -> bool:
    at = 0
    for letter in wanted:
        at = name.find(letter, at) + 1
        if at == 0:
            return False
    return True


def closeness(typed: str, name: str) -> int:
    """How well a name fits, the less the better: one that begins like what is typed before any other."""
    if not typed or name.startswith(typed):
        return 0
    return 1 if name.casefold().startswith(typed.casefold()) else 2
