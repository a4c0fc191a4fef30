"""A file as a sequence of pieces: versions, extensions, the heads of definitions, and the statements of their bodies.

A piece ends at its semicolon, or at the brace that opens a body. A scan for these characters alone, outside strings and
comments, finds it, and it is parsed by its own text: an error in one piece can't affect another, and a piece whose text
did not change is not parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Problem, Span, checkpoint
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.nnef1.syntax.parser import Parser

_MARK = re.compile(r"[#;{}\"']")
"""Characters that may begin a comment or a string, or be a sign.

A search for a class of characters is many times faster than one for alternatives.
"""
_COMMENT = re.compile(r"[^\r\n]*")
_STRING = re.compile(r"""\"(?:[^\"\\\r\n]|\\[^\r\n])*\"|'(?:[^'\\\r\n]|\\[^\r\n])*'""")
_HEAD = re.compile(r"(?:(?:fragment|graph)\s+\w+\s*[(<]|(?:version|extension)\s+\w)")
_ASSERTION = re.compile(r"extension\s+tract_assert\s+[^;\s]")
_ENDS = re.compile(r"[^;\r\n]*;")
"""The end of an assertion. `#` broadcasts two extents in it: tract has no comments before the semicolon."""
_HEAD_WORDS = ("fragment", "graph", "version", "extension")
_BLANK = re.compile(r"\s*")


class PieceKind(StrEnum):
    """Kind of a piece, by its position and its last character."""

    ITEM = "item"
    """A piece outside of all bodies."""
    HEAD = "head"
    """The text before the brace that opens a body."""
    STATEMENT = "statement"
    BODY_END = "body end"
    """The brace that closes a body, or nothing if it is missing."""
    STRAY = "stray"
    """A brace that closes nothing."""


class TextPiece(Struct, frozen=True):
    """The text of a piece, which has neither white space nor comments before it, at its place."""

    kind: PieceKind
    start: int
    end: int
    """End of the text, without the semicolon or brace."""
    closed: bool
    """True if the semicolon or brace that ends it is there."""


class Pieces(Struct, frozen=True):
    """The pieces of a text in order, and its comments, each by its start and end."""

    pieces: tuple[TextPiece, ...]
    comments: tuple[tuple[int, int], ...]


def split(text: str) -> Pieces:
    """Return the pieces of a text. Never fails."""
    splitter = _Splitter(text)
    splitter.run()
    return Pieces(tuple(splitter.pieces), tuple(splitter.comments))


def _heads(text: str) -> list[int]:
    """Return the offsets of lines that begin with the head of an item. The search for plain words makes this fast."""
    found: list[int] = []
    for word in _HEAD_WORDS:
        at = text.find(word)
        while at >= 0:
            line = text.rfind("\n", 0, at) + 1
            if not text[line:at].strip(" \t") and _HEAD.match(text, at):
                found.append(at)
            at = text.find(word, at + 1)
    return sorted(found)


def split_statements(text: str) -> Pieces | None:
    """Return the pieces of a part of a body that begins with a statement and ends before another one.

    None if the part ends otherwise, or if the following text may affect its parsing.
    """
    splitter = _Splitter(text)
    splitter.is_inside = True
    if _heads(text) or not splitter.scan():
        return None
    is_whole = splitter.start == len(text) and all(each.kind is PieceKind.STATEMENT for each in splitter.pieces)
    if not is_whole or (splitter.comments and splitter.comments[-1][1] == len(text)):
        return None
    return Pieces(tuple(splitter.pieces), tuple(splitter.comments))


class _Splitter:
    def __init__(self, text: str) -> None:
        self.pieces: list[TextPiece] = []
        self.comments: list[tuple[int, int]] = []
        self._text = text
        self.start = self._behind_blank(0)
        self.is_inside = False
        self._heads: Iterator[int] = iter(())
        self._next_head = len(text)

    def run(self) -> None:
        heads = iter([*_heads(self._text), len(self._text)])
        self._next_head, self._heads = next(heads), heads
        self.scan()
        self._heads_before(len(self._text))
        self._finish(len(self._text))

    def scan(self) -> bool:
        """Find the pieces; return whether every string is closed."""
        text, is_closed = self._text, True
        found = _MARK.search(text)
        while found is not None:
            checkpoint()
            at = found.start()
            self._heads_before(at)
            match found[0]:
                case "#" if not self.is_inside and _ASSERTION.match(text, self.start, at) and _ENDS.match(text, at):
                    end = at + 1
                case "#":
                    comment = _COMMENT.match(text, at)
                    assert comment is not None
                    self.comments.append(comment.span())
                    end = comment.end()
                    if at == self.start:
                        self.start = self._behind_blank(end)
                case "'" | '"':
                    string = _STRING.match(text, at)
                    is_closed = is_closed and string is not None
                    end = at + 1 if string is None else string.end()
                case sign:
                    self._sign(at, sign)
                    end = at + 1
            while self._next_head < end:  # it stands in a comment or a string
                self._next_head = next(self._heads)
            found = _MARK.search(text, end)
        return is_closed

    def _heads_before(self, at: int) -> None:
        while self._next_head < at:
            self._head(self._next_head)
            self._next_head = next(self._heads)

    def _head(self, at: int) -> None:
        if self.is_inside or self.start < at:
            self._finish(at)

    def _sign(self, at: int, sign: str) -> None:
        match sign:
            case ";":
                kind = PieceKind.STATEMENT if self.is_inside else PieceKind.ITEM
                self._add(kind, at, True)
            case "{" if not self.is_inside:
                self._add(PieceKind.HEAD, at, True)
                self.is_inside = True
            case "}" if self.is_inside:
                if self.start < at:
                    self._add(PieceKind.STATEMENT, at, False)
                self.pieces.append(TextPiece(PieceKind.BODY_END, at, at + 1, True))
                self.is_inside = False
            case "}":
                if self.start < at:
                    self._add(PieceKind.ITEM, at, False)
                self.pieces.append(TextPiece(PieceKind.STRAY, at, at + 1, True))
            case _:  # a brace inside a body is part of a statement
                return
        self.start = self._behind_blank(at + 1)

    def _finish(self, at: int) -> None:
        """End open pieces before ``at``: the end of the text, or the start of an item."""
        if self.start < at:
            self._add(PieceKind.STATEMENT if self.is_inside else PieceKind.ITEM, at, False)
        if self.is_inside:
            end = self.pieces[-1].end
            self.pieces.append(TextPiece(PieceKind.BODY_END, end, end, False))
            self.is_inside = False
        self.start = at

    def _add(self, kind: PieceKind, end: int, closed: bool) -> None:
        end = max(self.start, self._before_blank(end))
        self.pieces.append(TextPiece(kind, self.start, end, closed))

    def _behind_blank(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        assert match is not None
        return match.end()

    def _before_blank(self, at: int) -> int:
        """Return where the text before ``at`` ends that is neither white space nor a comment."""
        text = self._text
        ends = {end: start for start, end in self.comments[-64:]}
        while True:
            while at > self.start and text[at - 1].isspace():
                at -= 1
            if at not in ends:
                return at
            at = ends[at]


# ---- ``graph.quant`` files: how tensors of a graph are quantized, one line for each ----------------------------------
class QuantizationFile(Struct, frozen=True, eq=False):
    """The lines of a file, each with the offset that its spans count from, and the syntax errors."""

    text: str
    lines: tuple[tuple[int, nodes.Quantization], ...]
    comments: tuple[Span, ...]
    problems: tuple[Problem, ...]


def parse_quantization(text: str) -> QuantizationFile:
    """Return the lines of a ``graph.quant`` file. Any text gives lines and the problems in it."""
    found = split(text)
    lines: list[tuple[int, nodes.Quantization]] = []
    problems: list[Problem] = []
    for piece in found.pieces:
        if piece.start == piece.end or piece.kind is PieceKind.BODY_END:
            continue
        parser = Parser(text[piece.start : piece.end])
        line = parser.quantization()
        problems += (each.shifted(piece.start) for each in parser.problems)
        if line is not None:
            lines.append((piece.start, line))
            if not piece.closed:
                place = Span(piece.end, piece.end)
                problems.append(Problem(rules.SYNTAX_ERROR, place, "expected ';' at the end of the line"))
    comments = tuple(Span(start, end) for start, end in found.comments)
    return QuantizationFile(text, tuple(lines), comments, tuple(problems))


def quantization_path(path: str) -> str | None:
    """Return where quantizations for a graph are looked for: ``graph.quant`` beside ``graph.nnef``."""
    stem, _, suffix = path.rpartition(".")
    return f"{stem}.quant" if suffix == "nnef" else None
