"""The definitions of a file by name; of two of one name the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from snd_analysis.skriptnd.names.library import header_name
from snd_analysis.skriptnd.syntax import Chunk, PlacedChunk, SyntaxTree, keywords, nodes


class Found(NamedTuple):
    """A definition, the offset that its spans count from, and its chunk."""

    start: int
    definition: nodes.Definition
    chunk: Chunk


Definitions = Mapping[str, Found]


def definitions_of(tree: SyntaxTree) -> Definitions:
    """Return the definitions of any file."""
    found: dict[str, Found] = {}
    for placed in tree.chunks:
        for definition in placed.chunk.definitions:
            if definition.name.text:
                found.setdefault(definition.name.text, Found(placed.start, definition, placed.chunk))
    return found


def definitions_are_readable(tree: SyntaxTree) -> bool:
    """Return whether the names of all definitions of a file are known."""
    return not any(
        isinstance(item, nodes.ErrorItem)
        or (isinstance(item, nodes.Definition) and (not item.name.text or item.name.text in keywords()))
        for placed in tree.chunks
        for item in placed.chunk.document.items
    )


class LibraryDefinitions(Definitions):
    """The definitions of a module of the standard library, each parsed when it is asked for."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._chunks: dict[str, PlacedChunk] = {}
        for placed in tree.chunks:
            name = header_name(placed.chunk.text)
            if name is not None:
                self._chunks[name] = placed

    def __getitem__(self, name: str) -> Found:
        placed = self._chunks[name]
        return Found(placed.start, next(placed.chunk.definitions), placed.chunk)

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)
