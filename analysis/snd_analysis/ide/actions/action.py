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
    """Return the actions; equal titles get the line and column of their change."""
    titles = Counter(each.title for each in found)

    def placed(action: Action) -> Action:
        at = source.position(_first(action))
        return replace(action, title=f"{action.title} (line {at.line}, column {at.column})")

    return [placed(each) if titles[each.title] > 1 else each for each in found]


def _first(action: Action) -> int:
    """Return the first offset that an action changes."""
    if action.edits:
        return min(each.location.span.start for each in action.edits)
    numbers = [] if action.command is None else [each for each in action.command.arguments if isinstance(each, int)]
    return min(numbers, default=0)


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
