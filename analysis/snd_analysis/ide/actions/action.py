"""Code actions at a place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Diagnostic, Location, Source, Span, TextEdit
from snd_analysis.skriptnd.syntax import SyntaxTree
from snd_analysis.workspace import Snapshot


class ActionKind(StrEnum):
    """Kinds of actions, by the names that clients use; a requested kind includes the kinds below it."""

    QUICK_FIX = "quickfix"
    REWRITE = "refactor.rewrite"
    EXTRACT = "refactor.extract"
    INLINE = "refactor.inline"
    MOVE = "refactor.move"
    FIX_ALL = "source.fixAll.snd"
    ORGANIZE_IMPORTS = "source.organizeImports"
    SAMPLE = "source.sample.snd"


class Command(Struct, frozen=True):
    """The work of a server when an action is chosen: ``arguments`` are plain data, after the file that it is about.

    ``options`` follow as an object, if there are any.
    """

    name: str
    arguments: tuple[str | int, ...]
    options: tuple[tuple[str, str], ...] = ()


class Action(Struct, frozen=True):
    """A change that a user may choose. All edits refer to the present texts, and don't overlap."""

    title: str
    kind: ActionKind
    edits: tuple[TextEdit, ...] = ()
    resolves: tuple[Diagnostic, ...] = ()
    is_preferred: bool = False
    command: Command | None = None
    creates_file: bool = False


def offered(found: Iterable[Action], only: Sequence[str]) -> list[Action]:
    """Return the actions of the kinds in ``only``, all if it is empty, without duplicates."""
    wanted = [
        each
        for each in found
        if not only or any(each.kind == kind or each.kind.startswith(f"{kind}.") for kind in only)
    ]
    return list({(each.title, each.edits, each.command): each for each in reversed(wanted)}.values())[::-1]


def with_different_titles(found: Sequence[Action], source: Source) -> list[Action]:
    """Return the actions; equal titles get the line and column of their change, and its end if that is equal."""
    titles = Counter(each.title for each in found)
    starts = Counter((each.title, _changed(each).start) for each in found)

    def placed(action: Action) -> Action:
        changed = _changed(action)
        at, end = source.position(changed.start), source.position(changed.end)
        columns = f"column {at.column}"
        if starts[action.title, changed.start] > 1:
            same = at.line == end.line
            columns += f" to {end.column}" if same else f" to line {end.line}, column {end.column}"
        return replace(action, title=f"{action.title} (line {at.line}, {columns})")

    return [placed(each) if titles[each.title] > 1 else each for each in found]


def _changed(action: Action) -> Span:
    """Return the part of the text from the first to the last change."""
    if action.edits:
        spans = [each.location.span for each in action.edits]
        return Span(min(each.start for each in spans), max(each.end for each in spans))
    numbers = [] if action.command is None else [each for each in action.command.arguments if isinstance(each, int)]
    return Span(min(numbers, default=0), max(numbers, default=0))


class Request(Struct, frozen=True):
    """A span of a file, and the diagnostics that are shown of the file."""

    snapshot: Snapshot
    path: str
    span: Span
    diagnostics: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """Text of the file."""
        return self.tree.text

    @property
    def tree(self) -> SyntaxTree:
        """Tree of the file."""
        return self.snapshot.tree(self.path)

    @property
    def here(self) -> list[Diagnostic]:
        """The diagnostics that the span touches."""
        return [found for found in self.diagnostics if self.touches(found.location.span)]

    def touches(self, span: Span) -> bool:
        """Return whether something stands in the span, or at it."""
        return span.start <= self.span.end and self.span.start <= span.end

    def edit(self, start: int, end: int, text: str) -> TextEdit:
        """Return a replacement in the file."""
        return TextEdit(Location(self.path, Span(start, end)), text)
