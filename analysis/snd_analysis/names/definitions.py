"""The definitions of a file by name, with what their spans count from; of two of one name the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from snd_analysis.names.library import header_name
from snd_analysis.syntax import nodes
from snd_analysis.syntax.chunks import PlacedChunk, SyntaxTree

Definitions = Mapping[str, tuple[int, nodes.Definition]]


def definitions_of(tree: SyntaxTree) -> Definitions:
    """The definitions of any file."""
    found: dict[str, tuple[int, nodes.Definition]] = {}
    for base, definition in tree.definitions:
        if definition.name.text:
            found.setdefault(definition.name.text, (base, definition))
    return found


class LibraryDefinitions(Definitions):
    """The definitions of a module of the standard library, each parsed when it is asked for."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._chunks: dict[str, PlacedChunk] = {}
        for placed in tree.chunks:
            name = header_name(placed.chunk.text)
            if name is not None:
                self._chunks[name] = placed

    def __getitem__(self, name: str) -> tuple[int, nodes.Definition]:
        placed = self._chunks[name]
        return placed.start, next(placed.chunk.definitions)

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)
