"""Giving something another name wherever it is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from snd_analysis.base import Edit, Location, Span, TextEdit
from snd_analysis.ide.mentions import occurrences, subject_at
from snd_analysis.ide.rename.same_meaning import Moves, file_rename_edits, first_difference, new_errors
from snd_analysis.ide.targets import NameSubject, name_of, path_of
from snd_analysis.skriptnd.names import BuiltIn, ModuleName, is_library
from snd_analysis.skriptnd.syntax import is_identifier, keywords
from snd_analysis.workspace import Snapshot


# ---- the files as they would be after a change -----------------------------------------------------------------------
def edited_texts(snapshot: Snapshot, edits: Iterable[TextEdit]) -> dict[str, str]:
    """Return the texts of the files after edits that do not overlap."""
    texts: dict[str, str] = {}
    for edit in sorted(edits, key=lambda each: each.location, reverse=True):
        path = edit.location.path
        text = texts.get(path)
        before = snapshot.source(path).text if text is None else text
        texts[path] = Edit(edit.location.span, edit.text).apply(before)
    return texts


# ---- giving something another name wherever it is named --------------------------------------------------------------
_SUFFIX = ".sknd"


class RenameRefused(Exception):  # noqa: N818 - it is an answer, not a fault
    """A name that can't be changed, or not so; the message says why."""


class Renaming(Struct, frozen=True):
    """The changes of a renaming: texts, and then, for a module, the path of its file."""

    edits: tuple[TextEdit, ...]
    moved: tuple[str, str] | None = None


def prepare_rename(snapshot: Snapshot, path: str, offset: int) -> tuple[Span, str]:
    """Return the name at an offset that can be changed: its span and its text. Raise RenameRefused."""
    subject, span = _subject(snapshot, path, offset)
    text = snapshot.source(path).text[span.start : span.end]
    return span, "".join(text.split()) if isinstance(subject, ModuleName) else text


def rename(snapshot: Snapshot, path: str, offset: int, name: str, paths: Iterable[str]) -> Renaming:
    """Return the renaming of the subject at an offset, in ``paths`` and its own file.

    Every name in these files leads to the same place afterwards, and there are no new problems; otherwise raise
    RenameRefused, as for invalid identifiers and for definitions of the standard library.
    """
    subject, span = _subject(snapshot, path, offset)
    own = path_of(subject)
    everything = [*dict.fromkeys((path, *([own] if own is not None else []), *paths))]
    everything = [each for each in everything if not is_library(each)]
    if isinstance(subject, ModuleName):
        old = "".join(snapshot.source(path).text[span.start : span.end].split())
        return _renamed_module(snapshot, subject.path, old, name, everything)
    _demand_name(name)
    old_name = name_of(subject)
    if old_name is None or name == old_name:
        return Renaming(())
    places = dict.fromkeys(each.location for each in occurrences(snapshot, subject, everything))
    edits = tuple(TextEdit(location, name) for location in sorted(places))
    _demand_same_meaning(snapshot, edits, everything, (old_name, name))
    return Renaming(edits)


def _subject(snapshot: Snapshot, path: str, offset: int) -> tuple[NameSubject, Span]:
    found = subject_at(snapshot, path, offset)
    if found is None:
        raise RenameRefused("there is no name here that could be changed")
    subject, _ = found
    if isinstance(subject, BuiltIn):
        raise RenameRefused(f"'{subject.name}' is built in")
    own = path_of(subject)
    if own is not None and is_library(own):
        raise RenameRefused("the standard library is read-only")
    return found


def _demand_name(name: str) -> None:
    if name in keywords():
        raise RenameRefused(f"'{name}' is a keyword")
    if not is_identifier(name):
        raise RenameRefused(f"'{name}' is no identifier: a letter or '_', then letters, digits and '_'")


def _demand_same_meaning(
    snapshot: Snapshot,
    edits: Sequence[TextEdit],
    paths: Sequence[str],
    words: Sequence[str] = (),
    moved: tuple[str, str] | None = None,
) -> None:
    """Make the change in a copy, and look where every name leads then. Raise RenameRefused."""
    texts: dict[str, str | None] = {**edited_texts(snapshot, edits)}
    if moved is not None:
        old, new = moved
        texts[new] = texts.get(old, snapshot.source(old).text)
        texts[old] = None
    after = snapshot.changed(texts)
    moves = Moves(edits, dict([moved] if moved is not None else []))
    different = first_difference(snapshot, after, paths, moves, words)
    if different is not None:
        raise RenameRefused(f"the name would clash with another: {_shown(snapshot, after, different)}")
    error = next(new_errors(snapshot, after, edits, moves), None)
    if error is not None:
        raise RenameRefused(f"the program would be wrong then: {error}")


def _shown(before: Snapshot, after: Snapshot, location: Location) -> str:
    source = (before if before.file(location.path) is not None else after).source(location.path)
    position = source.position(location.span.start)
    word = source.text[location.span.start : location.span.end]
    return f"'{word}' in {location.path}, line {position.line}, would mean something else"


def _renamed_module(snapshot: Snapshot, path: str, old: str, name: str, paths: Sequence[str]) -> Renaming:
    for part in name.split("."):
        _demand_name(part)
    if name == old:
        return Renaming(())
    relative = f"{old.replace('.', '/')}{_SUFFIX}"
    if not path.endswith(relative):
        raise RenameRefused(f"the file of the module '{old}' is not called '{relative}'")
    target = f"{path[: -len(relative)]}{name.replace('.', '/')}{_SUFFIX}"
    if snapshot.exists(target):
        raise RenameRefused(f"there is a file '{target}' already")
    edits, unreachable = file_rename_edits(snapshot, [(path, target)], paths)
    if unreachable:
        first = unreachable[0]
        raise RenameRefused(f"{first.importer} could not import the module '{first.module}' any more")
    touched = dict.fromkeys((path, *(edit.location.path for edit in edits)))
    _demand_same_meaning(snapshot, edits, [*touched], moved=(path, target))
    return Renaming(tuple(sorted(edits, key=lambda edit: edit.location)), (path, target))
