"""A file as a sequence of pieces: versions, extensions, the heads of definitions, and the statements of their bodies.

A piece ends at its semicolon, or at the brace that opens a body. A scan for these characters alone, outside strings and
comments, finds it, and it is parsed by its own text: an error in one piece can't affect another, and a piece whose text
did not change is not parsed again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import BYTE_ORDER_MARK, Problem, Span, checkpoint, descendants, edit_between
from snd_analysis.nnef1.limits import MOST_REMEMBERED_PIECES
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


# ---- the dialect of NNEF 1.0 of a text -------------------------------------------------------------------------------
class Dialect(StrEnum):
    """Dialects of NNEF 1.0."""

    KHRONOS = "khronos"
    """The text of NNEF 1.0, as Khronos' tools read it."""
    TRACT = "tract"
    """The dialect that tract reads and writes, and that torch_to_nnef writes for it."""


_PREFIX = "tract_"
_REMEMBERED = 1 << 14
"""Number of statements with a cached answer: the dialect of a whole file is asked for after each keystroke."""


def dialect_of(document: nodes.Document) -> Dialect:
    """Return the dialect of a text: tract's if it uses anything that only tract has."""
    return Dialect.TRACT if any(map(_is_of_tract, document.items)) else Dialect.KHRONOS


def _is_of_tract(item: nodes.Item) -> bool:
    if isinstance(item, nodes.Placed):
        return isinstance(item.item, nodes.Extension) and item.item.name.text.startswith(_PREFIX)
    if item.head.name.text.startswith(_PREFIX) or any(each.name.extended for each in item.head.parameters):
        return True
    return any(_has_name_of_tract(entry.statements) for entry in item.body or ())


@lru_cache(maxsize=_REMEMBERED)
def _has_name_of_tract(statements: tuple[nodes.Statement, ...]) -> bool:
    return any(
        isinstance(node, nodes.Identifier) and (node.extended or node.text.startswith(_PREFIX))
        for statement in statements
        for node in descendants(statement)
    )


# ---- the syntax tree of a file; after an edit, only the changed text is parsed again ---------------------------------
_STRAY = "this '}' closes nothing", "these '}' close nothing"
_Item = nodes.Version | nodes.Extension | nodes.ErrorItem | nodes.Head


class ReadPiece(Struct, frozen=True, eq=False):
    """The syntax of a piece, and its syntax errors. Spans count from the start of the piece."""

    item: _Item | None
    """The item, for a piece that stands outside all bodies."""
    statements: tuple[nodes.Statement, ...]
    problems: tuple[Problem, ...]


class Nnef1SyntaxTree(Struct, frozen=True, eq=False):
    """The syntax tree of a file, its comments, and its syntax errors."""

    text: str
    document: nodes.Document
    comments: tuple[Span, ...]
    problems: tuple[Problem, ...]
    read: Mapping[tuple[PieceKind, str], ReadPiece]
    """Every piece by its text."""
    configured: Dialect | None = None
    """The dialect that the configuration of the project says."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of the file: the configured one, else the one its text shows."""
        return self.configured or dialect_of(self.document)


def parse_file(text: str, previous: Nnef1SyntaxTree | None = None) -> Nnef1SyntaxTree:
    """Return the tree of a file. Pieces that ``previous`` has are used again; the result is that of a fresh start.

    Any text gives a tree and the problems in it.
    """
    edited = None if previous is None else with_edit(text, previous)
    if edited is not None:
        return edited
    builder = _Builder(text, {} if previous is None else previous.read)
    found = split(text if not text.startswith(BYTE_ORDER_MARK) else f" {text[1:]}")
    for piece in found.pieces:
        builder.add(piece)
    comments = tuple(Span(start, end) for start, end in found.comments)
    return Nnef1SyntaxTree(text, nodes.Document(tuple(builder.items)), comments, tuple(builder.problems), builder.read)


def with_edit(text: str, before: Nnef1SyntaxTree) -> Nnef1SyntaxTree | None:
    """Return the tree of a text that differs from an earlier text inside one body only; only that part is parsed.

    None if the difference may reach further.
    """
    old = before.text
    change = edit_between(old, text).span
    begin, end, growth = change.start, change.end, len(text) - len(old)
    around = next((each for each in before.document.items if _surrounds(each, begin, end)), None)
    if not isinstance(around, nodes.Definition) or not around.body or old[around.end - 1] != "}":
        return None
    body = around.body
    first = bisect_right(body, begin, key=attrgetter("start")) - 1
    last = bisect_right(body, end, key=attrgetter("start"))
    if first < 0 or len(before.read) > MOST_REMEMBERED_PIECES * len(body):
        return None
    start, stop = body[first].start, body[last].start if last < len(body) else around.end - 1
    if stop <= end and last == len(body):
        return None
    found = split_statements(text[start : stop + growth])
    if found is None:
        return None
    builder = _Builder(text, before.read)
    for piece in found.pieces:
        builder.add(TextPiece(piece.kind, piece.start + start, piece.end + start, piece.closed))
    entries = (*body[:first], *builder.body, *_moved_entries(body[last:], growth))
    edited = nodes.Definition(around.start, around.end + growth, around.head, entries)
    items = (
        edited if each is around else _moved(each, growth) if each.start > around.start else each
        for each in before.document.items
    )
    problems = [each for each in before.problems if each.span.start < start]
    problems += [*builder.problems, *(each.shifted(growth) for each in before.problems if each.span.start >= stop)]
    comments = [each for each in before.comments if each.start < start]
    comments += [Span(one + start, other + start) for one, other in found.comments]
    comments += [each.shifted(growth) for each in before.comments if each.start >= stop]
    read = {**before.read, **builder.read}
    return Nnef1SyntaxTree(text, nodes.Document(tuple(items)), tuple(comments), tuple(problems), read)


def _surrounds(item: nodes.Item, begin: int, end: int) -> bool:
    return isinstance(item, nodes.Definition) and item.start < begin and end < item.end


def _moved_entries(entries: Sequence[nodes.Entry], distance: int) -> Iterable[nodes.Entry]:
    return (nodes.Entry(each.start + distance, each.statements) for each in entries) if distance else entries


def _moved(item: nodes.Item, distance: int) -> nodes.Item:
    if isinstance(item, nodes.Placed):
        return nodes.Placed(item.start + distance, item.item)
    body = item.body
    if body is not None:
        body = (*_moved_entries(body, distance),)
    return nodes.Definition(item.start + distance, item.end + distance, item.head, body)


class _Builder:
    def __init__(self, text: str, known: Mapping[tuple[PieceKind, str], ReadPiece]) -> None:
        self.items: list[nodes.Item] = []
        self.problems: list[Problem] = []
        self.read: dict[tuple[PieceKind, str], ReadPiece] = {}
        self._text = text
        self._known = known
        self.body: list[nodes.Entry] = []
        self._head: tuple[int, nodes.Head | nodes.ErrorItem] | None = None

    def add(self, piece: TextPiece) -> None:
        checkpoint()
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
                self._stray(Span(piece.start, piece.end))
            case PieceKind.ITEM:
                self._item(piece)

    def _stray(self, span: Span) -> None:
        """Report a brace; several in a row are one mistake."""
        last = self.problems[-1] if self.problems else None
        if last is not None and last.message in _STRAY and not self._text[last.span.end : span.start].strip():
            self.problems[-1:] = []
            self._problem(Span(last.span.start, span.end), _STRAY[1])
        else:
            self._problem(span, _STRAY[0])

    def _found(self, piece: TextPiece) -> ReadPiece:
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

    def _statement(self, piece: TextPiece) -> None:
        found = self._found(piece)
        if found.statements:
            self.body.append(nodes.Entry(piece.start, found.statements))
        if not piece.closed and not found.problems:
            self._problem(Span(piece.end, piece.end), "expected ';' at the end of the statement")

    def _item(self, piece: TextPiece) -> None:
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

    def _end(self, piece: TextPiece) -> None:
        assert self._head is not None
        start, head = self._head
        if not piece.closed:
            message = "the body that begins here is never closed"
            brace = self._text.find("{", start)
            self.problems.append(Problem(rules.UNCLOSED_BRACKET, Span(brace, brace + 1), message))
        if isinstance(head, nodes.Head):
            self.items.append(nodes.Definition(start, piece.end, head, tuple(self.body)))
        else:
            self.items.append(nodes.Placed(start, head))
        self._head, self.body = None, []

    def _problem(self, span: Span, message: str) -> None:
        self.problems.append(Problem(rules.SYNTAX_ERROR, span, message))


# ---- types in the notation of NNEF 1.0 -------------------------------------------------------------------------------
def written_type(type_: nodes.Type) -> str:
    """Return a type in the notation of NNEF 1.0."""
    match type_:
        case nodes.TensorType(item=item):
            return f"tensor<{'' if item is None else item.text}>"
        case nodes.ArrayType(item=item):
            return f"{written_type(item)}[]"
        case nodes.TupleType(items=items):
            return f"({', '.join(map(written_type, items))})"
    return type_.text
