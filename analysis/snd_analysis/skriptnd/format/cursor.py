"""The tokens of a statement, taken one after the other, each with the comments after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snd_analysis.base import Span
from snd_analysis.skriptnd.format.layout import Document, Line
from snd_analysis.skriptnd.syntax import Token, nodes

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


STEP = 4
"""Columns of one level of indentation."""
CONTINUATION = 2 * STEP
"""Columns by which the further lines of a statement are indented."""


class Unprintable(Exception):  # noqa: N818 - it is an answer
    """A statement whose tokens differ from its tree: it is left unformatted."""


class Cursor:
    """A place among the tokens of a text. Spans of nodes count from ``base``.

    ``column`` is the column of the statement, ``indent`` that of its continuation lines. A comment ends its line: a
    blank or nothing after it becomes a line break.
    """

    def __init__(self, text: str, tokens: Sequence[Token], comments: Sequence[Span], base: int, column: int) -> None:
        self._text = text
        self._tokens = tokens
        self._comments = comments
        self._at = 0
        self._next_comment = 0
        self._after_comment = False
        self._end = tokens[0].start if tokens else 0
        self.base = base
        self.column = column
        self.indent = column + CONTINUATION

    def deepen(self, columns: int) -> None:
        """Let further lines begin so much farther to the right, or left."""
        self.indent += columns

    @property
    def after_number(self) -> bool:
        """Return whether the last token was a number."""
        return self._at > 0 and self._tokens[self._at - 1].kind in ("INT", "REAL")

    @property
    def next(self) -> Token | None:
        """The token that is taken next."""
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def sees(self, *spellings: str) -> bool:
        """Return whether the next token is spelled in one of these ways."""
        token = self.next
        return token is not None and token.spelling(self._text) in spellings

    def take(self, *spellings: str) -> Document:
        """Return the next token. Raise Unprintable if there is none, or none that is spelled so."""
        token = self.next
        if token is None or (spellings and token.spelling(self._text) not in spellings):
            raise Unprintable
        self._at += 1
        spelling = token.spelling(self._text)
        if token.kind == "STRING" and "\r" in spelling:
            raise Unprintable  # its line breaks are part of it
        return self._with_comments(spelling, token)

    def take_node(self, node: nodes.Node) -> Document:
        """Return all tokens of a node, with nothing between them."""
        parts: list[Document] = []
        end = node.end + self.base
        while (token := self.next) is not None and token.start < end:
            parts.append(self.take())
        return tuple(parts)

    def space(self) -> Document:
        """Return a blank."""
        return self._line_after_comment() or " "

    def line(self, flat: str = " ", *, hard: bool = False) -> Document:
        """Return a place where the line may break."""
        return self._line_after_comment() or Line(self.indent, flat, hard)

    def blank_line(self) -> Document:
        """Return a blank line, if there is one before the next token."""
        token = self.next
        if token is None or count_line_breaks(self._text[self._end : token.start]) < 2:
            return ""
        return Line(0, hard=True)

    def _line_after_comment(self) -> Line | None:
        if not self._after_comment:
            return None
        self._after_comment = False
        return Line(self.indent, hard=True)

    def _with_comments(self, spelling: str, token: Token) -> Document:
        parts: list[Document] = [line] if (line := self._line_after_comment()) is not None else []
        parts.append(spelling)
        self._end = token.end
        following = self._tokens[self._at].start if self._at < len(self._tokens) else None
        while following is not None and self._next_comment < len(self._comments):
            comment = self._comments[self._next_comment]
            if comment.start > following:
                break
            self._next_comment += 1
            if comment.start < self._end:
                continue
            line_breaks = count_line_breaks(self._text[self._end : comment.start])
            parts += [Line(0, hard=True)] if line_breaks > 1 else []
            parts.append(Line(self.indent, hard=True) if line_breaks else "  ")
            parts.append(self._text[comment.start : comment.end].rstrip())
            self._end = comment.end
            self._after_comment = True
        return spelling if len(parts) == 1 else tuple(parts)


def count_line_breaks(text: str) -> int:
    """Return how many lines end in a text."""
    return len(_LINE_BREAK.findall(text))
