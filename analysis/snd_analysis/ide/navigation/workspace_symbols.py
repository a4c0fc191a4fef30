"""Definitions of all files by a part of their names."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from snd_analysis.base import Location
from snd_analysis.ide.limits import MOST_SYMBOLS
from snd_analysis.ide.module_names import module_name
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, library_modules, operators_called
from snd_analysis.workspace import Snapshot

# Scores of matches of the letters of a query in a name; a greater sum is better.
_WORD_START = 8
_NEIGHBOUR = 10
_PREFIX = 2
_SAME_CASE = 1
_WHOLE = 32


class WorkspaceSymbol(Struct, frozen=True):
    """An operator or a graph of any file."""

    name: OperatorName
    kind: str
    module: str
    location: Location
    """Location of its name."""


def workspace_symbols(
    snapshot: Snapshot, query: str, paths: Iterable[str], with_library: bool = True
) -> list[WorkspaceSymbol]:
    """Return the definitions whose names have the letters of a query in its order, the most similar first.

    A query with a dot is compared with qualified names. An empty query finds nothing in the standard library, which
    everyone has. Operators of the library are found by their names in PyTorch, ONNX and NNEF 1.0, too.
    """
    library = [LIBRARY_PREFIX + module for module in library_modules()] if with_library and query else []
    ranked: list[tuple[float, str, str, OperatorName]] = []
    for path in dict.fromkeys([*paths, *library]):
        module = f"{module_name(snapshot, path, path)}." if "." in query else ""
        for name in snapshot.definitions(path):
            similar = similarity(query, module + name)
            if similar is not None:
                ranked.append((-similar, name, path, OperatorName(path, name)))
    for operator in operators_called(query) if library else ():
        module, _, name = operator.partition(".")
        ranked.append((-_WHOLE, name, LIBRARY_PREFIX + module, OperatorName(LIBRARY_PREFIX + module, name)))
    names = dict.fromkeys(name for *_, name in sorted(ranked))
    return [found for name in [*names][:MOST_SYMBOLS] if (found := _symbol(snapshot, name)) is not None]


def similarity(query: str, name: str) -> float | None:
    """Return how well a name fits a query, the greater the better; None if it does not have its letters in its order.

    Letters count for more at starts of words and next to each other, and in short names.
    """
    if not query:
        return 0.0
    best: dict[int, float] = {-2: 0.0}  # by the place in the name of the letter that was found last
    for letter in query:
        following: dict[int, float] = {}
        for at, character in enumerate(name):
            if character.lower() != letter.lower():
                continue
            own = _SAME_CASE * (character == letter) + _WORD_START * _begins_word(name, at) + _PREFIX * (at == 0)
            before = [worth + _NEIGHBOUR * (last == at - 1) for last, worth in best.items() if last < at]
            if before:
                following[at] = max(before) + own
        best = following
        if not best:
            return None
    return max(best.values()) + _WHOLE * (query.lower() == name.lower()) - len(name) / 64


def _begins_word(name: str, at: int) -> bool:
    if at == 0 or not name[at - 1].isalnum():
        return name[at].isalnum()
    return (name[at].isupper() and name[at - 1].islower()) or (name[at].isdigit() and not name[at - 1].isdigit())


def _symbol(snapshot: Snapshot, name: OperatorName) -> WorkspaceSymbol | None:
    found = snapshot.definitions(name.path).get(name.name)
    if found is None:
        return None
    span = found.definition.name.span.shifted(found.start)
    return WorkspaceSymbol(
        name, found.definition.kind, module_name(snapshot, name.path, name.path), Location(name.path, span)
    )
