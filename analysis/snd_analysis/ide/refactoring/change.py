"""Edits of a refactoring, and the check that the analysis accepts them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from snd_analysis.base import Location, Rule, Severity, Span, TextEdit, line_edits
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.limits import MOST_NAMED_USES
from snd_analysis.ide.mentions import occurrences
from snd_analysis.skriptnd.format import format_text
from snd_analysis.skriptnd.names import OperatorName, Role
from snd_analysis.skriptnd.syntax import comment_above, nodes
from snd_analysis.workspace import Snapshot

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
_UNWRITTEN = re.compile(r"…|(?<!\|)\|(?!\|)")
_OPERAND = re.compile(r"[\w.]+|\[[^\[\]]*\]|'[^']*'|\"[^\"]*\"|\w[\w.]*\([^()]*\)", re.ASCII)


class Asked(Struct, frozen=True):
    """The place of a refactoring, the files that may name the things it changes, and its options."""

    path: str
    span: Span
    files: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def text(self, key: str) -> str | None:
        """Return the option if it is a string, else None."""
        value = self.options.get(key)
        return value if isinstance(value, str) else None


class RefactoringError(Exception):
    """Reports that a refactoring can't be done; the message has the reason."""


class LibraryCall(Struct, frozen=True):
    """An invocation of the library, as texts.

    ``expressions`` has the expressions of the formulas that attributes may repeat, by their text.
    """

    operator: OperatorName
    attributes: Mapping[str, str]
    arguments: tuple[str, ...]
    expressions: Mapping[str, nodes.Expression]


class Refactored(Struct, frozen=True):
    """Edits after which the definition ``name`` has to compute the same."""

    name: OperatorName
    edits: tuple[TextEdit, ...]
    what: str
    """The beginning of a message: the thing that was done, in the past tense."""
    compared: tuple[tuple[OperatorName, OperatorName], ...] | None = None
    """The definitions that have to compute the same, with their names afterwards; None for ``name`` alone."""
    moves_variables: bool = False
    """True if variables may get other names: weights that were saved before need a map then."""
    call: LibraryCall | None = None
    """The invocation that replaces formulas, to be tried by itself."""
    parameters: Mapping[str, str | None] = field(default_factory=dict)
    """The new names of parameters of ``name`` by the old ones; None for a parameter that is removed."""
    is_by_name: bool = False
    """True if all names are known to lead to the same definitions after the edits: evaluations confirm the edits."""
    created: tuple[str, ...] = ()
    """Paths of new files, whose whole text is one edit."""

    def parameters_of(self, name: OperatorName) -> Mapping[str, str | None]:
        """Return the new names of the parameters of a definition."""
        return self.parameters if name == self.name else {}


def edited(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with edits of it, which don't overlap."""
    for edit in sorted(edits, key=lambda each: each.location.span, reverse=True):
        text = text[: edit.location.span.start] + edit.text + text[edit.location.span.end :]
    return text


def formatted(texts: Mapping[str, str], refactored: Refactored, width: int) -> tuple[TextEdit, ...]:
    """Return the edits, with lines broken where they became too long, in files that are in the one style before."""
    found: list[TextEdit] = []
    for path in dict.fromkeys(each.location.path for each in refactored.edits):
        edits = [each for each in refactored.edits if each.location.path == path]
        text = texts.get(path, "")
        new = edited(text, edits)
        styled = format_text(new, width)
        if text and styled != new and format_text(text, width) == text:
            edits = [TextEdit(Location(path, each.span), each.text) for each in line_edits(text, styled)]
        found += edits
    return tuple(found)


def edited_files(snapshot: Snapshot, edits: Iterable[TextEdit]) -> dict[str, str]:
    """Return the texts of the files that edits change, by path."""
    by_path: dict[str, list[TextEdit]] = {}
    for each in edits:
        by_path.setdefault(each.location.path, []).append(each)
    return {path: edited(snapshot.source(path).text, found) for path, found in by_path.items()}


def file_edits(snapshot: Snapshot, texts: Mapping[str, str]) -> tuple[TextEdit, ...]:
    """Return the edits that give files new texts, by lines; a file that does not exist has no text before."""
    return tuple(
        TextEdit(Location(path, each.span), each.text)
        for path, text in texts.items()
        for each in line_edits(snapshot.source(path).text, text)
    )


def checked(
    snapshot: Snapshot, refactored: Refactored, files: Iterable[str] = (), allowed: Container[Rule] = ()
) -> Refactored:
    """Return a refactoring whose edits add no error or warning to the files it changes, or to ``files``.

    Warnings of the ``allowed`` rules may be new. Raise RefactoringError.
    """
    texts = edited_files(snapshot, refactored.edits)
    changed = snapshot.changed(texts)
    for path in dict.fromkeys((*texts, *files)):
        problem = new_problem(snapshot, changed, path, allowed)
        if problem is not None:
            raise RefactoringError(f"the program would not be right: {problem}")
    return refactored


def new_problem(snapshot: Snapshot, changed: Snapshot, path: str, allowed: Container[Rule] = ()) -> str | None:
    """Return the message of the first error or warning that a change adds to a file; None if there is none.

    Rules in ``allowed`` are ignored.
    """
    before = Counter((each.rule.name, each.message) for each in snapshot.diagnostics(path))
    for found in changed.diagnostics(path):
        if found.rule in allowed:
            continue
        before[found.rule.name, found.message] -= 1
        if before[found.rule.name, found.message] < 0 and found.severity in (Severity.ERROR, Severity.WARNING):
            return found.message
    return None


def comments_in(snapshot: Snapshot, path: str, span: Span) -> list[str]:
    """Return the comments in a part of a file; a replacement of the part has to keep them."""
    text = snapshot.source(path).text
    found = (each for each in snapshot.tree(path).comments if span.start <= each.start and each.end <= span.end)
    return [text[each.start : each.end].rstrip() for each in found]


def is_written_out(text: str) -> bool:
    """Return whether the text of a composed value can stand in a program: some texts have `…` or an index `|i|`."""
    return _UNWRITTEN.search(_STRING.sub("", text)) is None


def operand(text: str) -> str:
    """Return an expression as an operand of another one: in parentheses unless it is a name, a literal or a call."""
    return text if _OPERAND.fullmatch(text) else f"({text})"


def words(text: str) -> set[str]:
    """Return the names in a text."""
    return set(_WORD.findall(text))


def fresh(name: str, taken: set[str]) -> str:
    """Return a name that is not taken; from now on it is."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}{number}"
    taken.add(found)
    return found


def indented(text: str, at: int, end: int, indent: str) -> str:
    """Return a part of a text, with ``indent`` in place of its own indentation after the first line."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    if before.strip():
        return text[at:end]
    first, *rest = text[at:end].split("\n")
    return "\n".join([first, *(f"{indent}{each.removeprefix(before)}" if each.strip() else each for each in rest)])


def whole_line(source: str, span: Span) -> Span:
    """Return a part of the text with the lines that would be empty without it."""
    first = source.rfind("\n", 0, span.start) + 1
    end = source.find("\n", span.end)
    last = len(source) if end < 0 else end + 1
    is_alone = not source[first : span.start].strip() and not source[span.end : last].strip()
    if is_alone:
        return Span(first, last)
    rest = source[span.end :]
    return Span(span.start, span.end + len(rest) - len(rest.lstrip(" ")))


# ---- deletes a definition or a helper symbol that nothing names ------------------------------------------------------
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
