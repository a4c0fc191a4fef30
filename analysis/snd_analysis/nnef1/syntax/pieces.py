"""A file as a row of pieces: versions, extensions, the heads of definitions, and the statements of their bodies.

A piece ends at its semicolon, or at the brace that opens a body. It is found by a scan for these characters alone,
outside of strings and comments, and is read by its own text: what is broken in one piece can't break another, and a
piece whose text did not change is not read again.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

_SCANNED = re.compile(
    r"""(?P<space>\#[^\r\n]*)
    |(?P<string>"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')
    |(?P<sign>[;{}])
    |(?P<head>^[ \t]*(?:(?:fragment|graph)\s+\w+\s*[(<]|(?:version|extension)\s+\w))""",
    re.VERBOSE | re.MULTILINE,
)
_BLANK = re.compile(r"\s*")


class PieceKind(StrEnum):
    """What a piece is, by what ends it and where it stands."""

    ITEM = "item"
    """Outside of all bodies."""
    HEAD = "head"
    """Before the brace that opens a body."""
    STATEMENT = "statement"
    BODY_END = "body end"
    """The brace that closes a body, or nothing if it is missing."""
    STRAY = "stray"
    """A brace that closes nothing."""


class Piece(Struct, frozen=True):
    """The text of a piece, which has neither white space nor comments before it, at its place."""

    kind: PieceKind
    start: int
    end: int
    """Behind the text, without the semicolon or brace."""
    closed: bool
    """Whether the semicolon or brace that ends it is there."""


class Pieces(Struct, frozen=True):
    """The pieces of a text in order, and its comments, each by its start and end."""

    pieces: tuple[Piece, ...]
    comments: tuple[tuple[int, int], ...]


def split(text: str) -> Pieces:
    """Return the pieces of a text. Never fails."""
    splitter = _Splitter(text)
    splitter.run()
    return Pieces(tuple(splitter.pieces), tuple(splitter.comments))


class _Splitter:
    def __init__(self, text: str) -> None:
        self.pieces: list[Piece] = []
        self.comments: list[tuple[int, int]] = []
        self._text = text
        self._start = self._behind_blank(0)
        self._inside = False

    def run(self) -> None:
        text = self._text
        for match in _SCANNED.finditer(text):
            at = match.start()
            match match.lastgroup:
                case "space":
                    self.comments.append(match.span())
                    if at == self._start:
                        self._start = self._behind_blank(match.end())
                case "sign":
                    self._sign(at, match[0])
                case "head":
                    at = self._behind_blank(at)
                    if self._inside or self._start < at:
                        self._finish(at)
        self._finish(len(text))

    def _sign(self, at: int, sign: str) -> None:
        match sign:
            case ";":
                kind = PieceKind.STATEMENT if self._inside else PieceKind.ITEM
                self._add(kind, at, True)
            case "{" if not self._inside:
                self._add(PieceKind.HEAD, at, True)
                self._inside = True
            case "}" if self._inside:
                if self._start < at:
                    self._add(PieceKind.STATEMENT, at, False)
                self.pieces.append(Piece(PieceKind.BODY_END, at, at + 1, True))
                self._inside = False
            case "}":
                if self._start < at:
                    self._add(PieceKind.ITEM, at, False)
                self.pieces.append(Piece(PieceKind.STRAY, at, at + 1, True))
            case _:  # a brace inside a body is part of a statement
                return
        self._start = self._behind_blank(at + 1)

    def _finish(self, at: int) -> None:
        """Ends what is open before ``at``: the text, or an item that begins there."""
        if self._start < at:
            self._add(PieceKind.STATEMENT if self._inside else PieceKind.ITEM, at, False)
        if self._inside:
            end = self.pieces[-1].end
            self.pieces.append(Piece(PieceKind.BODY_END, end, end, False))
            self._inside = False
        self._start = at

    def _add(self, kind: PieceKind, end: int, closed: bool) -> None:
        end = max(self._start, self._before_blank(end))
        self.pieces.append(Piece(kind, self._start, end, closed))

    def _behind_blank(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        assert match is not None
        return match.end()

    def _before_blank(self, at: int) -> int:
        """Return where the text before ``at`` ends that is neither white space nor a comment."""
        text = self._text
        ends = {end: start for start, end in self.comments[-64:]}
        while True:
            while at > self._start and text[at - 1].isspace():
                at -= 1
            if at not in ends:
                return at
            at = ends[at]
