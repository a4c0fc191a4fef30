"""The tree of a file, of which only what changed is read again."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import BYTE_ORDER_MARK, Problem, Span
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.nnef1.syntax.parser import Parser
from snd_analysis.nnef1.syntax.pieces import Piece, PieceKind, split

_Item = nodes.Version | nodes.Extension | nodes.ErrorItem | nodes.Head


class ReadPiece(Struct, frozen=True, eq=False):
    """What the text of a piece says, and what is wrong with its syntax. Spans count from its start."""

    item: _Item | None
    """Of a piece that stands outside of all bodies."""
    statements: tuple[nodes.Statement, ...]
    problems: tuple[Problem, ...]


class SyntaxTree(Struct, frozen=True, eq=False):
    """The tree of a file, its comments, and what is wrong with its syntax."""

    text: str
    document: nodes.Document
    comments: tuple[Span, ...]
    problems: tuple[Problem, ...]
    read: Mapping[tuple[PieceKind, str], ReadPiece]
    """Every piece by its text."""


def parse_file(text: str, previous: SyntaxTree | None = None) -> SyntaxTree:
    """Return the tree of a file. Pieces that ``previous`` has are used again; the result is that of a fresh start.

    Any text gives a tree and the problems in it.
    """
    builder = _Builder(text, {} if previous is None else previous.read)
    found = split(text if not text.startswith(BYTE_ORDER_MARK) else f" {text[1:]}")
    for piece in found.pieces:
        builder.add(piece)
    comments = tuple(Span(start, end) for start, end in found.comments)
    return SyntaxTree(text, nodes.Document(tuple(builder.items)), comments, tuple(builder.problems), builder.read)


class _Builder:
    def __init__(self, text: str, known: Mapping[tuple[PieceKind, str], ReadPiece]) -> None:
        self.items: list[nodes.Item] = []
        self.problems: list[Problem] = []
        self.read: dict[tuple[PieceKind, str], ReadPiece] = {}
        self._text = text
        self._known = known
        self._head: tuple[int, nodes.Head | nodes.ErrorItem] | None = None
        self._body: list[nodes.Entry] = []

    def add(self, piece: Piece) -> None:
        match piece.kind:
            case PieceKind.STATEMENT:
                self._statement(piece)
            case PieceKind.HEAD:
                item = self._found(piece).item
                assert isinstance(item, nodes.Head | nodes.ErrorItem)
                self._head = piece.start, item
            case PieceKind.BODY_END:
                self._end(piece)
            case PieceKind.STRAY:
                self._problem(Span(piece.start, piece.end), "this '}' closes nothing")
            case PieceKind.ITEM:
                self._item(piece)

    def _found(self, piece: Piece) -> ReadPiece:
        text = self._text[piece.start : piece.end]
        key = piece.kind, text
        found = self.read.get(key) or self._known.get(key)
        if found is None:
            parser = Parser(text)
            match piece.kind:
                case PieceKind.STATEMENT:
                    statements = parser.statements()
                    found = ReadPiece(None, statements, tuple(parser.problems))
                case PieceKind.HEAD:
                    found = ReadPiece(parser.head(), (), tuple(parser.problems))
                case _:
                    found = ReadPiece(parser.item(), (), tuple(parser.problems))
        self.read[key] = found
        self.problems += (problem.shifted(piece.start) for problem in found.problems)
        return found

    def _statement(self, piece: Piece) -> None:
        found = self._found(piece)
        if found.statements:
            self._body.append(nodes.Entry(piece.start, found.statements))
        if not piece.closed and not found.problems:
            self._problem(Span(piece.end, piece.end), "expected ';' at the end of the statement")

    def _item(self, piece: Piece) -> None:
        if piece.start == piece.end:
            return
        found = self._found(piece)
        if isinstance(found.item, nodes.Head):
            head = found.item
            if head.kind == "graph" or not piece.closed:
                self._problem(Span(piece.end, piece.end), f"expected '{{' and the body of the {head.kind}")
            self.items.append(nodes.Definition(piece.start, piece.end, head, None))
            return
        if not piece.closed and not found.problems:
            self._problem(Span(piece.end, piece.end), "expected ';'")
        assert found.item is not None
        self.items.append(nodes.Placed(piece.start, found.item))

    def _end(self, piece: Piece) -> None:
        assert self._head is not None
        start, head = self._head
        if not piece.closed:
            message = "the body that begins here is never closed"
            brace = self._text.find("{", start)
            self.problems.append(Problem(rules.UNCLOSED_BRACKET, Span(brace, brace + 1), message))
        if isinstance(head, nodes.Head):
            self.items.append(nodes.Definition(start, piece.end, head, tuple(self._body)))
        else:
            self.items.append(nodes.Placed(start, head))
        self._head, self._body = None, []

    def _problem(self, span: Span, message: str) -> None:
        self.problems.append(Problem(rules.SYNTAX_ERROR, span, message))
