"""Documents that know where their lines may break, and the choice of the breaks (after Wadler's "A prettier printer").

A document is a string, a ``Line``, a row of documents, a ``Group``, a ``Fill`` or a ``Tail``. A group is written on one
line if it fits, else all lines of its own break; a fill breaks only those of its lines after which the next piece does
not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr

Document: TypeAlias = "str | Line | Group | Fill | Tail | tuple[Document, ...]"

_Item: TypeAlias = "tuple[Document | _Rest, bool]"
"""A document, or the rest of a fill, and True if it must fit on one line."""


class Line(Struct, frozen=True):
    """A place where a line may break: ``flat`` if it does not. ``indent`` is the column where the next one begins."""

    indent: int
    flat: str = " "
    hard: bool = False
    """True if it always breaks."""


class Group(Struct, frozen=True):
    """Lines that break together or not at all: ``most`` columns are the widest that it is on one line."""

    content: Document
    most: int | None = None
    broken: bool = False
    """True if the document needs several lines. Computed once, on creation."""

    def __post_init__(self) -> None:
        broken = breaks(self.content) or (self.most is not None and not _fits((self.content, True), (), self.most))
        force_setattr(self, "broken", broken)


class Fill(Struct, frozen=True):
    """Pieces with as many of them on each line as fit, separated by the given lines: one fewer than pieces."""

    pieces: tuple[Document, ...]
    lines: tuple[Document, ...]
    broken: bool = False
    """True if the document needs several lines. Computed once, on creation."""

    def __post_init__(self) -> None:
        force_setattr(self, "broken", breaks(self.pieces) or breaks(self.lines))


class Tail(Struct, frozen=True):
    """The content after a sign of assignment: it moves to a line of its own if it fits on one line only then."""

    line: Document
    content: Document


class _Rest(Struct, frozen=True):
    """The pieces of a fill from a position on: copies of the remaining pieces would take quadratic time."""

    fill: Fill
    at: int

    def row(self) -> Iterator[Document]:
        """Yield the pieces with the lines between them, as far as somebody looks at them."""
        pieces, lines = self.fill.pieces, self.fill.lines
        for at in range(self.at, len(pieces)):
            yield pieces[at]
            if at < len(lines):
                yield lines[at]


def breaks(document: Document) -> bool:
    """Return whether a line in a document always breaks."""
    kind = type(document)
    if kind is str:
        return "\n" in document  # type: ignore[operator]
    match document:
        case Group() | Fill():
            return document.broken
        case Line():
            return document.hard
        case Tail():
            return breaks(document.line) or breaks(document.content)
    return any(map(breaks, document))


def render(document: Document, width: int, column: int = 0) -> str:
    """Return the text of a document whose first line begins at ``column``.

    Lines are broken to fit ``width`` where possible.
    """
    written: list[str] = []
    pending: list[_Item] = [(document, False)]
    while pending:
        current, is_flat = pending.pop()
        match current:
            case str():
                written.append(current)
                column = _column_after(current, column)
            case tuple():
                pending.extend([(part, is_flat) for part in reversed(current)])
            case Line():
                if is_flat and not current.hard:
                    written.append(current.flat)
                    column += len(current.flat)
                    continue
                if written and written[-1].isspace() and written[-1][0] == "\n":
                    written[-1] = "\n"  # nothing stands on the line between
                written.append("\n" + " " * current.indent)
                column = current.indent
            case Group():
                fits = is_flat or (not current.broken and _fits((current.content, True), pending, width - column))
                pending.append((current.content, fits))
            case Fill():
                pending.append((_Rest(current, 0), is_flat))
            case _Rest():
                pending.extend(reversed(_filled(current, is_flat, pending, width - column)))
            case _:
                below = not is_flat and _is_better_below(current, pending, width, column)
                pending += [(Group(current.content), is_flat), (current.line, not below)]
    return "".join(written)


def _filled(rest: _Rest, is_flat: bool, pending: Sequence[_Item], room: int) -> list[_Item]:
    """Return the documents to print for the next piece of a fill, the line after it, and the remaining pieces."""
    fill, at = rest.fill, rest.at
    if is_flat and not fill.broken:
        return [(part, True) for part in rest.row()]
    if not fill.pieces:
        return []
    first = (Group(fill.pieces[at]), False)
    if at == len(fill.lines):
        return [first]
    both = (fill.pieces[at], fill.lines[at], fill.pieces[at + 1])
    is_last = at + 1 == len(fill.lines)
    line_is_flat = not breaks(both) and _fits((both, True), pending if is_last else (), room)
    return [first, (fill.lines[at], line_is_flat), (_Rest(fill, at + 1), False)]


def _is_better_below(tail: Tail, following: Sequence[_Item], width: int, column: int) -> bool:
    """Return whether the content of a tail fits on one line only if that line is its own."""
    if not isinstance(tail.line, Line) or breaks(tail.content):
        return False
    content = (tail.content, True)
    return not _fits(content, following, width - column - 1) and _fits(content, following, width - tail.line.indent)


def _fits(item: _Item, following: Sequence[_Item], room: int) -> bool:
    """Return whether an item, with its successors up to the next possible line break, fits into the room."""
    pending: list[tuple[Iterator[Document | _Rest], bool]] = []
    # Looked at one by one: nothing beyond the room costs time.
    ahead = chain((item,), reversed(following))
    while room >= 0:
        if not pending:
            entry = next(ahead, None)
            if entry is None:
                return True
            pending.append((iter(entry[:1]), entry[1]))
        parts, is_flat = pending[-1]
        current = next(parts, None)
        match current:
            case None:
                pending.pop()
            case str():
                if "\n" in current:
                    return room >= current.index("\n")
                room -= len(current)
            case Line():
                if current.hard or not is_flat:
                    return True
                room -= len(current.flat)
            case Tail() if not is_flat:
                return True
            case _:
                pending.append((iter(_parts(current)), is_flat))
    return False


def _parts(document: Group | Fill | Tail | _Rest | tuple[Document, ...]) -> Iterable[Document]:
    """Return the consecutive parts of a document."""
    match document:
        case tuple():
            return document
        case Group():
            return (document.content,)
        case Tail():
            return document.line, document.content
    return (document if isinstance(document, _Rest) else _Rest(document, 0)).row()


def _column_after(text: str, column: int) -> int:
    _, line_break, last = text.rpartition("\n")
    return len(last) if line_break else column + len(text)
