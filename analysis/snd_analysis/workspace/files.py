"""The files of one state: texts that clients hold open, over those that a reader gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from snd_analysis.base.rule import Rule
from snd_analysis.base.text import Source, Span
from snd_analysis.skriptnd.names import is_library, library_text
from snd_analysis.skriptnd.syntax import SyntaxTree, parse_file


class UnreadableText(Exception):  # noqa: N818 - it is an answer of a reader, not a fault
    """A file that is there but is no text: ``rule`` says why, ``offset`` where, in code points, as well as can be."""

    def __init__(self, message: str, rule: Rule, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.offset = offset


class Reader(Protocol):
    """The only way in which the analysis sees files."""

    def read(self, path: str) -> str:
        """The text of a file. Raises FileNotFoundError or UnreadableText."""

    def exists(self, path: str) -> bool:
        """Whether there is a regular file of that path."""


class File(Struct, frozen=True, eq=False):
    """One version of one file."""

    source: Source
    tree: SyntaxTree
    unreadable: UnreadableText | None = None


class Origin(Struct, frozen=True, eq=False):
    """What the files of one state are made of."""

    opened: Mapping[str, File]
    read: dict[str, File | None]
    """Those that were read, which is common to all states; those that this one asks for are added."""
    reader: Reader
    module_paths: tuple[str, ...]
    """The folders in which modules are looked for besides."""


class Files:
    """Texts and trees by path."""

    def __init__(self, origin: Origin, checkpoint: Callable[[], None]) -> None:
        self.checkpoint = checkpoint
        """Is called between definitions, and between the statements of long ones: what it raises ends the question."""
        self.module_paths = origin.module_paths
        self._opened = origin.opened
        self._files = dict(origin.read)
        self._shared = origin.read
        self._reader = origin.reader

    def file(self, path: str) -> File | None:
        """The file at ``path``; None if there is none."""
        if path in self._opened:
            return self._opened[path]
        if path not in self._files:
            self._files[path] = self._shared[path] = self._load(path)
        return self._files[path]

    def _load(self, path: str) -> File | None:
        try:
            text = library_text(path) if is_library(path) else self._reader.read(path)
        except FileNotFoundError:
            return None
        except UnreadableText as unreadable:
            return File(Source(path, ""), parse_file(""), unreadable)
        return File(Source(path, text), parse_file(text))

    def files_read(self) -> dict[str, File | None]:
        """Every file that was asked for, None for those that are not there, and those that are open."""
        return {**self._files, **self._opened}

    def exists(self, path: str) -> bool:
        """Whether there is a file of that path."""
        return path in self._opened or self._reader.exists(path)

    def source(self, path: str) -> Source:
        """The text of a file; an empty one if there is none."""
        file = self.file(path)
        return file.source if file else Source(path, "")

    def tree(self, path: str) -> SyntaxTree:
        """The tree of a file; an empty one if there is none."""
        file = self.file(path)
        return file.tree if file else parse_file("")

    def whole_tree(self, path: str) -> SyntaxTree:
        """The tree of a file of which nothing is left to be parsed: that takes seconds for many definitions."""
        tree = self.tree(path)
        for placed in tree.chunks:
            if not placed.chunk.is_parsed:
                self.checkpoint()
                placed.chunk.document  # noqa: B018 - it is parsed now
        return tree

    def comments(self, path: str) -> tuple[Span, ...]:
        """Every comment of a file, without its line break."""
        return tuple(self.tree(path).comments)
