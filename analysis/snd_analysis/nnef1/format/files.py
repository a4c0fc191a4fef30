"""A whole file: extensions together, a blank line around definitions, a statement a line."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from snd_analysis.base import BYTE_ORDER_MARK, Edit, Span, line_edits
from snd_analysis.nnef1.format.layout import INDENT, Printer, grouped, words_of
from snd_analysis.nnef1.syntax import (
    END,
    Nnef1SyntaxTree,
    PieceKind,
    ReadPiece,
    TextPiece,
    nodes,
    parse_file,
    split,
    tokenize,
)

_Read: TypeAlias = Mapping[tuple[PieceKind, str], ReadPiece]
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def format_text(text: str, width: int, tree: Nnef1SyntaxTree | None = None) -> str:
    """Return the text in the canonical style, with the same tokens and comments.

    Lines are broken to fit ``width`` where possible. Unparsed text stays unchanged; so does the whole text if a body is
    not closed. ``tree`` is the tree of the text, if it is known.
    """
    tree = tree or parse_file(text)
    found = split(_without_mark(text))
    if any(piece.kind is PieceKind.STRAY or not _is_closed(piece) for piece in found.pieces):
        return text
    writer = _Writer(text, width, tree.read, [Span(start, end) for start, end in found.comments])
    for piece in found.pieces:
        writer.piece(piece)
    line_break = _line_break_of(text)
    lines = writer.finished()
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    formatted = mark + "".join(f"{line}{line_break}" for line in lines)
    return formatted if _content(formatted) == _content(text) else text


def _is_closed(piece: TextPiece) -> bool:
    return piece.closed or piece.kind in (PieceKind.STATEMENT, PieceKind.ITEM)


def _without_mark(text: str) -> str:
    return f" {text[1:]}" if text.startswith(BYTE_ORDER_MARK) else text


def _line_break_of(text: str) -> str:
    found = _LINE_BREAK.search(text.lstrip(f"{BYTE_ORDER_MARK}\r\n \t\f\v"))
    return found[0] if found else "\n"


def _content(text: str) -> tuple[list[str], list[str]]:
    """Return the tokens and the comments, which formatting must keep."""
    plain = _without_mark(text)
    comments = [plain[start:end].rstrip() for start, end in split(plain).comments]
    return [each.text for each in tokenize(plain)], comments


class _Writer:
    """The text of a file, piece by piece with the comments between."""

    def __init__(self, text: str, width: int, read: _Read, comments: list[Span]) -> None:
        self._text = text
        self._width = width
        self._read = read
        self._comments = deque(comments)
        self._lines: list[str] = []
        self._at = 0
        """Up to where the text is written."""
        self._inside = False
        self._previous = ""
        self._comments_were_written = False
        """True if comments on lines of their own directly precede the next part."""

    def piece(self, piece: TextPiece) -> None:
        """Write a piece and the comments before it."""
        if piece.kind is PieceKind.BODY_END:
            self._comments_before(piece.start)
            self._blank(False)
            self._inside = False
            self._lines.append("}")
            self._previous, self._at = piece.kind, piece.end
            return
        if piece.start == piece.end and not piece.closed:
            return
        what = self._what(piece)
        opens = self._apart(what)
        self._comments_before(piece.start, opens)
        if not (self._comments_were_written and self._gap(piece.start) <= 1):
            self._separate(piece.start, opens and not self._comments_were_written)
        self._lines += self._printed(piece)
        self._previous, self._at = what, piece.end
        end = self._ending(piece)
        if piece.kind is PieceKind.HEAD:
            self._comments_before(end)
            self._inside = True
            self._lines.append("{")
        self._at = end

    def finished(self) -> list[str]:
        """Return all lines, after the comments at the end."""
        self._comments_before(len(self._text))
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        return self._lines

    # ---- blank lines and comments ------------------------------------------------------------------------------------
    def _what(self, piece: TextPiece) -> str:
        if piece.kind is PieceKind.ITEM:
            item = self._found(piece).item
            return "extension" if isinstance(item, nodes.Extension) else "item"
        return piece.kind

    def _apart(self, what: str) -> bool:
        """Return whether the formatter puts a blank line before a piece regardless of the text."""
        if not self._lines or self._inside:
            return False
        return not (what == self._previous == "extension")

    def _comments_before(self, end: int, apart: bool = False) -> None:
        """Write the comments up to an offset that are not written yet."""
        self._comments_were_written = False
        while self._comments and self._comments[0].start < end:
            span = self._comments.popleft()
            comment = self._text[span.start : span.end].rstrip()
            if self._lines and "\n" not in self._lines_between(span.start) and not self._comments_were_written:
                self._lines[-1] += f"  {comment}"
            else:
                self._separate(span.start, apart and not self._comments_were_written)
                self._lines.append(f"{self._margin()}{comment}")
                self._comments_were_written = True
            self._at = span.end

    def _lines_between(self, offset: int) -> str:
        return _LINE_BREAK.sub("\n", self._text[self._at : offset])

    def _gap(self, offset: int) -> int:
        return self._lines_between(offset).count("\n")

    def _separate(self, offset: int, demanded: bool) -> None:
        """Leave a blank line if there is one in the text, or one is demanded."""
        self._blank(bool(self._lines) and self._lines[-1] != "{" and (demanded or self._gap(offset) > 1))

    def _blank(self, wanted: bool) -> None:
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        if wanted:
            self._lines.append("")

    def _margin(self) -> str:
        return " " * INDENT if self._inside else ""

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _found(self, piece: TextPiece) -> ReadPiece:
        return self._read[piece.kind, self._text[piece.start : piece.end]]

    def _ending(self, piece: TextPiece) -> int:
        """Return the end of a piece, including the semicolon or brace behind it."""
        if not piece.closed:
            return piece.end
        at = piece.end
        for comment in self._comments:
            if self._text[at : comment.start].strip():
                break
            at = comment.end
        return next(place + 1 for place in range(at, len(self._text)) if self._text[place] in ";{")

    def _printed(self, piece: TextPiece) -> list[str]:
        text = self._text[piece.start : piece.end]
        read = self._found(piece)
        inner: list[Span] = []
        while self._comments and self._comments[0].start < piece.end:
            inner.append(self._comments.popleft().shifted(-piece.start))
        ending = "" if piece.kind is PieceKind.HEAD or not piece.closed else ";"
        indent = len(self._margin())
        as_it_is = f"{' ' * indent}{text}{ending}".splitlines()
        if read.problems or isinstance(read.item, nodes.ErrorItem):
            return as_it_is
        if isinstance(read.item, nodes.Extension):
            if inner or _LINE_BREAK.search(text):
                return as_it_is
            return [f"extension {text[read.item.name.start : read.item.name.end]} {read.item.text}".rstrip() + ending]
        tokens = [each for each in tokenize(text) if each.kind != END]
        parts = grouped(words_of(text, tokens, inner))
        if not parts:
            return as_it_is
        return Printer(self._width, indent).lines(parts, ending)


# ---- formatting as edits of lines ------------------------------------------------------------------------------------
def format_edits(tree: Nnef1SyntaxTree, width: int, span: Span | None = None) -> list[Edit]:
    """Return the edits that format a file, in order of places; with ``span``, only those in its lines."""
    return line_edits(tree.text, format_text(tree.text, width, tree), span)


def format_typed(tree: Nnef1SyntaxTree, offset: int, width: int) -> list[Edit]:
    """Return the edits that format the statement or definition that ends at ``offset``."""
    found = next((span for span in _spans(tree) if 0 <= offset - span.end <= 1), None)
    return [] if found is None else format_edits(tree, width, found)


def _spans(tree: Nnef1SyntaxTree) -> Iterator[Span]:
    """Yield the spans of statements and definitions."""
    for item in tree.document.items:
        if isinstance(item, nodes.Placed):
            yield item.item.span.shifted(item.start)
            continue
        for entry in item.body or ():
            yield Span(entry.start, entry.start + entry.statements[-1].end)
        yield Span(item.start, item.end)
