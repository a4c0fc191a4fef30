"""Moves an operator to another file, with its comment and its samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname, join

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.limits import MOST_MOVE_TARGETS
from snd_analysis.ide.refactoring.change import (
    Asked,
    Refactored,
    RefactoringError,
    checked,
    edited,
    file_edits,
    named_definition_at,
    whole_definition,
    with_gap,
)
from snd_analysis.ide.refactoring.named_operators import (
    NameWriter,
    first_other_meaning,
    renamed,
    users_of,
    with_imports,
    without_unused_imports,
)
from snd_analysis.skriptnd.names import OperatorName, is_library, is_main
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot

TARGET = "target"
"""The option with the path of the file to move to."""
_SUFFIX = ".sknd"


def move_targets(snapshot: Snapshot, name: OperatorName, files: Sequence[str]) -> Iterator[str]:
    """Yield files that an operator may move to: files that its file imports, files beside it, and a new file."""
    imported = [
        each.path for each in snapshot.imports(name.path) if each.path is not None and not is_library(each.path)
    ]
    beside = [each for each in files if dirname(each) == dirname(name.path) and not is_main(each)]
    known = [each for each in dict.fromkeys((*imported, *beside)) if each != name.path and each.endswith(_SUFFIX)]
    yield from known[:MOST_MOVE_TARGETS]
    new = new_file(name)
    if not snapshot.exists(new):
        yield new


def new_file(name: OperatorName) -> str:
    """Return the path of a new file beside that of an operator, named like the operator."""
    return join(dirname(name.path), f"{name.name}{_SUFFIX}")


def move_definition(snapshot: Snapshot, asked: Asked) -> Sequence[Refactored]:
    """Return the edits that move an operator to another file. Raise RefactoringError."""
    found = named_definition_at(snapshot, asked.path, asked.span.start)
    if found is None or found[1].kind == "graph":
        raise RefactoringError("choose the name of an operator: a module with a graph can't be imported")
    start, definition = found
    old = OperatorName(asked.path, definition.name.text)
    new = OperatorName(asked.text(TARGET) or new_file(old), old.name)
    files = [*dict.fromkeys((asked.path, *asked.files))]
    users = users_of(snapshot, old, files)
    _demand_possible(snapshot, old, new, definition)
    is_new = not snapshot.exists(new.path)
    base = snapshot.changed({new.path: ""}) if is_new else snapshot
    texts = _moved(base, old, new, whole_definition(snapshot, asked.path, start, definition), files)
    changed = base.changed(texts)
    other = first_other_meaning(snapshot, changed, (*files, new.path), {old: new})
    if other is not None:
        raise RefactoringError(f"the name {other} would mean something else")
    compared = ((old, new), *((each, each) for each in users))
    what = f"moved '{old.name}' to {new.path.rpartition('/')[2]}"
    edits, created = file_edits(snapshot, texts), (new.path,) if is_new else ()
    return (checked(snapshot, Refactored(old, edits, what, compared, is_by_name=True, created=created), files),)


def _demand_possible(snapshot: Snapshot, old: OperatorName, new: OperatorName, definition: nodes.Definition) -> None:
    shown = new.path.rpartition("/")[2]
    if is_library(new.path) or not new.path.endswith(_SUFFIX) or not old.path.endswith(_SUFFIX) or new == old:
        raise RefactoringError(f"'{shown}' is no other file that can be imported")
    if snapshot.definition(old) is not definition:
        raise RefactoringError(f"there are two definitions with the name '{old.name}'")
    if new.name in snapshot.definitions(new.path):
        raise RefactoringError(f"there is a definition '{new.name}' in {shown} already")


def _moved(
    snapshot: Snapshot, old: OperatorName, new: OperatorName, span: Span, files: Sequence[str]
) -> dict[str, str]:
    """Return the new texts of the files; ``span`` is the definition in its file."""
    source, names, target = snapshot.source(old.path).text, {old: new}, NameWriter(snapshot, new.path)
    moving = edited(source[: span.end], renamed(snapshot, old.path, target, names, span))[span.start :]
    gone = with_gap(source, span)
    texts = {}
    for path in dict.fromkeys((*files, new.path)):
        text = snapshot.source(path).text
        writer = target if path == new.path else NameWriter(snapshot, path)
        if path == old.path:
            edits = renamed(snapshot, path, writer, names, Span(0, gone.start))
            edits += renamed(snapshot, path, writer, names, Span(gone.end, len(text)))
            edits.append(TextEdit(Location(path, gone), ""))
        else:
            edits = renamed(snapshot, path, writer, names, Span(0, len(text)))
        if edits or path == new.path:
            text = edited(text, edits)
            text = with_imports(snapshot, path, _appended(text, moving) if path == new.path else text, writer.missing)
            texts[path] = without_unused_imports(snapshot, path, text)
    return texts


def _appended(text: str, moving: str) -> str:
    """Return a text with a definition at its end."""
    line_break = "\r\n" if "\r\n" in text else "\n"
    moving = moving.replace("\r\n", "\n").replace("\n", line_break)
    before = f"{text.rstrip()}{2 * line_break}" if text.strip() else ""
    return f"{before}{moving}{line_break}"
