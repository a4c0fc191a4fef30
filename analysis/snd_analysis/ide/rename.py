"""Renaming of symbols, modules and files, tried in a copy of the files, where every name must still mean the same."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from posixpath import dirname
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Edit, Location, Rule, Severity, Span, TextEdit
from snd_analysis.ide.mentions import mentions, occurrences, subject_at
from snd_analysis.ide.navigation.definition import declaration_of
from snd_analysis.ide.targets import NameSubject, name_of, names_of, path_of
from snd_analysis.skriptnd.names import (
    AttributeName,
    BuiltIn,
    ModuleName,
    OperatorName,
    StatementPart,
    candidates,
    is_library,
    model_root,
)
from snd_analysis.skriptnd.syntax import is_identifier, keywords
from snd_analysis.workspace import Snapshot

__all__ = [
    "Moves",
    "RenameRefused",
    "Renaming",
    "Unreachable",
    "edited_texts",
    "file_rename_edits",
    "moved_paths",
    "prepare_rename",
    "rename",
]


# ---- comparison of the targets of all names before and after a change of names and files -----------------------------
_Meaning: TypeAlias = "tuple[Span, object]"
"""A place of a file, and the target of the name there, or other facts about it."""


class Moves:
    """Translation of places through edits and moves of files."""

    def __init__(self, edits: Iterable[TextEdit], moved: Mapping[str, str]) -> None:
        self._moved = moved
        self._edits: dict[str, tuple[Sequence[int], Sequence[int]]] = {}
        by_path: dict[str, list[TextEdit]] = {}
        for edit in sorted(edits, key=lambda each: each.location):
            by_path.setdefault(edit.location.path, []).append(edit)
        for path, found in by_path.items():
            ends = [edit.location.span.end for edit in found]
            growth = [len(edit.text) - (edit.location.span.end - edit.location.span.start) for edit in found]
            self._edits[path] = ends, [0, *accumulate(growth)]

    def path(self, path: str) -> str:
        """Return where a file is now."""
        return self._moved.get(path, path)

    def span(self, path: str, span: Span) -> Span:
        """Return where a span is now that no edit cuts."""
        ends, growth = self._edits.get(path, ((), (0,)))
        return Span(
            span.start + growth[bisect_right(ends, span.start)], span.end + growth[bisect_right(ends, span.end)]
        )

    def location(self, location: Location) -> Location:
        """Return where a place is now."""
        return Location(self.path(location.path), self.span(location.path, location.span))


def first_difference(
    before: Snapshot, after: Snapshot, paths: Iterable[str], moves: Moves, words: Sequence[str] = ()
) -> Location | None:
    """Return a place where a name has another meaning after a change; None if there is none.

    The place is in the state before if it exists there. Files without any of the ``words`` are known to mean the same.
    """
    for path in dict.fromkeys(paths):
        text = before.source(path).text
        if words and not any(word in text for word in words):
            continue
        # Names in unchanged statements with the same meaning need no comparison.
        same = _rows(before, path) & _rows(after, moves.path(path))
        expected = {
            (moves.span(path, span), meaning): span for span, meaning in _meanings(before, path, moves.location, same)
        }
        found = set(_meanings(after, moves.path(path), lambda location: location, same))
        lost = expected.keys() - found
        if lost:
            return Location(path, min(expected[each] for each in lost))
        new = found - expected.keys()
        if new:
            return Location(moves.path(path), min(span for span, _ in new))
    return None


def new_errors(before: Snapshot, after: Snapshot, edits: Iterable[TextEdit], moves: Moves) -> Iterator[str]:
    """Yield new problems, after a change, of the definitions that edits touch."""
    for name in dict.fromkeys(_touched(before, edits)):
        start = _name_start(before, name)
        renamed = None if start is None else _definition_at(after, moves.path(name.path), moves.span(name.path, start))
        if renamed is None:
            continue
        known = Counter(rule for rule, _ in _errors(before, name))
        for rule, message in _errors(after, renamed):
            known[rule] -= 1
            if known[rule] < 0:
                yield message


def _rows(snapshot: Snapshot, path: str) -> set[StatementPart]:
    found: set[StatementPart] = set()
    for _, definition in snapshot.tree(path).definitions:
        found.update(snapshot.resolution(path, definition).all_rows)
    return found


def _meanings(
    snapshot: Snapshot, path: str, place: Callable[[Location], Location], same: Container[StatementPart]
) -> Iterator[_Meaning]:
    """Yield the names of a file with their targets; ``place`` converts places."""
    known: dict[NameSubject, object] = {}
    for each in mentions(snapshot, path, known=same):
        if each.subject not in known:
            known[each.subject] = _meaning(snapshot, each.subject, place)
        yield each.span, known[each.subject]


def _meaning(snapshot: Snapshot, subject: NameSubject, place: Callable[[Location], Location]) -> object:
    link = declaration_of(snapshot, subject, Span(0, 0))
    if link is not None:
        return place(link.name)
    if isinstance(subject, AttributeName):  # one that its operator does not have
        return _meaning(snapshot, subject.operator, place), subject.name
    return subject


def _touched(snapshot: Snapshot, edits: Iterable[TextEdit]) -> Iterator[OperatorName]:
    for edit in edits:
        path, at = edit.location.path, edit.location.span.start
        for placed in snapshot.tree(path).chunks:
            if placed.start <= at <= placed.start + len(placed.chunk.text):
                for definition in placed.chunk.definitions:
                    if placed.start + definition.start <= at <= placed.start + definition.end:
                        yield OperatorName(path, definition.name.text)


def _name_start(snapshot: Snapshot, name: OperatorName) -> Span | None:
    found = snapshot.definitions(name.path).get(name.name)
    return None if found is None else found.definition.name.span.shifted(found.start)


def _definition_at(snapshot: Snapshot, path: str, name: Span) -> OperatorName | None:
    definitions = snapshot.tree(path).definitions
    found = (each for start, each in definitions if each.name.span.shifted(start).start == name.start)
    definition = next(found, None)
    return None if definition is None else OperatorName(path, definition.name.text)


def _errors(snapshot: Snapshot, name: OperatorName) -> Iterator[tuple[Rule, str]]:
    for problem in snapshot.definition_problems(name):
        if problem.rule.severity is Severity.ERROR:
            yield problem.rule, problem.message


# ---- files and folders that move: the import statements, and the names of modules, that have to change with them -----
class Unreachable(Struct, frozen=True):
    """An import that no name can express once the files have moved."""

    importer: str
    module: str


def moved_paths(moves: Iterable[tuple[str, str]], paths: Iterable[str]) -> dict[str, str]:
    """Return the paths of the files in ``paths`` after files and folders have moved; unmoved ones are left out."""
    pairs = [*moves]
    found: dict[str, str] = {}
    for path in paths:
        for old, new in pairs:
            if path == old:
                found[path] = new
            elif path.startswith(f"{old.rstrip('/')}/"):
                found[path] = f"{new.rstrip('/')}/{path[len(old.rstrip('/')) + 1 :]}"
    return found


def file_rename_edits(
    snapshot: Snapshot, moves: Iterable[tuple[str, str]], paths: Iterable[str]
) -> tuple[list[TextEdit], list[Unreachable]]:
    """Return the changes of ``paths``, named as at present, after which imports mean the same files as before.

    ``moves`` are of files and folders. If no import can name the new place of a file, its importers stay unchanged and
    are returned.
    """
    everything = [*dict.fromkeys(paths)]
    moved = moved_paths(moves, everything)
    for path in everything:  # imported files that were not listed
        moved |= moved_paths(moves, [item.path for item in snapshot.imports(path) if item.path is not None])
    edits: list[TextEdit] = []
    unreachable: list[Unreachable] = []
    for path in everything:
        if is_library(path):
            continue
        names, lost = _new_names(snapshot, path, moved)
        unreachable += (Unreachable(path, module) for module in lost)
        if names:
            edits += _edits(snapshot, path, names)
    return edits, unreachable


def _new_names(snapshot: Snapshot, path: str, moved: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the modules that a file must name differently, and modules that it can't name any more."""
    importer = moved.get(path, path)
    gone, come = set(moved), set(moved.values())

    def exists(file: str) -> bool:
        return file in come or (file not in gone and snapshot.exists(file))

    names: dict[str, str] = {}
    lost: list[str] = []
    for item in snapshot.imports(path):
        if item.path is None:
            continue
        name, target = item.node.text, moved.get(item.path, item.path)

        def means(module: str, target: str = target) -> bool:
            return next(candidates(module, importer, exists, snapshot.settings.module_paths), None) == target

        if means(name):
            continue
        folders = (dirname(importer), model_root(importer, exists), *snapshot.settings.module_paths)
        new = next((each for each in names_of(target, folders) if means(each)), None)
        if new is None:
            lost.append(name)
        else:
            names[name] = new
    return names, lost


def _edits(snapshot: Snapshot, path: str, names: Mapping[str, str]) -> Iterator[TextEdit]:
    text = snapshot.source(path).text
    for mention in mentions(snapshot, path):
        if isinstance(mention.subject, ModuleName):
            span = mention.span
            new = names.get("".join(text[span.start : span.end].split()))
            if new is not None:
                yield TextEdit(Location(path, span), new)


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
