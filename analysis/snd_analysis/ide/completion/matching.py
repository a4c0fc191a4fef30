"""Match of typed text with names, and the likelihood of each match."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.ide.completion.item import Completion


def ranked(items: Iterable[Completion], typed: str) -> list[Completion]:
    """Return the items that match the typed letters, the best first; of equal labels the one of the lowest group."""
    found: dict[str, Completion] = {}
    matching = (item for item in items if matches(typed, item.filter or item.label))
    for item in sorted(matching, key=lambda item: item.group):
        found.setdefault(item.label, item)
    return sorted(found.values(), key=lambda item: (closeness(typed, item.filter or item.label), item.group))


def matches(typed: str, *names: str) -> bool:
    """Return whether the letters that are typed occur in one of the names in their order, as clients compare them."""
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
    """Return the rank of a name for the typed text; lower is better, and a common beginning is best."""
    if not typed or name.startswith(typed):
        return 0
    return 1 if name.casefold().startswith(typed.casefold()) else 2
