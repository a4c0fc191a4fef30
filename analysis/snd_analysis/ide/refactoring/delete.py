"""Deletes a definition or a helper symbol that nothing names."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.limits import MOST_NAMED_USES
from snd_analysis.ide.mentions import occurrences
from snd_analysis.ide.refactoring.change import Asked, Refactored, RefactoringError, checked
from snd_analysis.skriptnd.names import OperatorName, Role
from snd_analysis.skriptnd.syntax import comment_above, nodes
from snd_analysis.workspace import Snapshot


def named_definition_at(snapshot: Snapshot, path: str, offset: int) -> tuple[int, nodes.Definition] | None:
    """Return the definition whose name stands at an offset, with the offset from which its spans count."""
    found = definition_at(snapshot.tree(path), offset)
    if found is None:
        return None
    start, definition = found
    name = definition.name.span.shifted(start)
    return found if definition.name.text and name.start <= offset <= name.end else None


def delete_definition(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edit that deletes a definition with its comment. Raise RefactoringError if it is used."""
    found = named_definition_at(snapshot, asked.path, asked.span.start)
    if found is None:
        raise RefactoringError("choose the name of an operator or graph")
    start, definition = found
    name = OperatorName(asked.path, definition.name.text)
    span = whole_definition(snapshot, asked.path, start, definition)
    users = [
        each.location
        for each in occurrences(snapshot, name, dict.fromkeys((asked.path, *asked.files)))
        if each.role is not Role.DECLARATION
        and not (each.location.path == asked.path and span.start <= each.location.span.start < span.end)
    ]
    if users:
        raise RefactoringError(f"'{name.name}' is used {_places(snapshot, users)}")
    edit = TextEdit(Location(asked.path, with_gap(snapshot.source(asked.path).text, span)), "")
    return (checked(snapshot, Refactored(name, (edit,), f"deleted '{name.name}', which nothing names", compared=())),)


def whole_definition(snapshot: Snapshot, path: str, start: int, definition: nodes.Definition) -> Span:
    """Return the part of a file that a definition takes with its comment and its samples."""
    text, span = snapshot.source(path).text, definition.span.shifted(start)
    above = comment_above(text, span.start)
    return Span(above.start if above.start < above.end else span.start, span.end)


def with_gap(text: str, span: Span) -> Span:
    """Return the place of a definition with the blank lines that would be left over without it."""
    rest = text[span.end :]
    if rest.strip():
        return Span(span.start, span.end + len(rest) - len(rest.lstrip("\r\n")))
    before = text[: span.start].rstrip()
    first_break = text[len(before) : span.start].lstrip(" \t")
    kept = 2 if first_break.startswith("\r\n") else 1
    return Span(len(before) + kept if before else 0, len(text))


def _places(snapshot: Snapshot, users: Sequence[Location]) -> str:
    shown = [
        f"{each.path.rpartition('/')[2]}, line {snapshot.source(each.path).position(each.span.start).line}"
        for each in users[:MOST_NAMED_USES]
    ]
    more = f" and {len(users) - MOST_NAMED_USES} more" if len(users) > MOST_NAMED_USES else ""
    return f"in {'; '.join(shown)}{more}"
