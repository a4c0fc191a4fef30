"""Renaming in a file in NNEF 1.0."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.base import Edit, Severity, Span, TextEdit
from snd_analysis.ide.nnef1.navigation import occurrences
from snd_analysis.ide.nnef1.places import tree_of, use_at, uses, uses_of
from snd_analysis.ide.rename.symbols import RenameRefused, Renaming
from snd_analysis.nnef1.names import Fragment, LocalSubject, Nnef1Use, SymbolSubject
from snd_analysis.nnef1.syntax import KEYWORDS
from snd_analysis.workspace import Snapshot


def prepare_rename(snapshot: Snapshot, path: str, offset: int) -> tuple[Span, str]:
    """Return the name at an offset that can be changed: its span and its text. Raise RenameRefused."""
    use = _renamed(snapshot, path, offset)
    return use.span, tree_of(snapshot, path).text[use.span.start : use.span.end]


def rename(snapshot: Snapshot, path: str, offset: int, name: str, _: Iterable[str]) -> Renaming:
    """Return the renaming of the subject at an offset. Raise RenameRefused if the target of a name would change."""
    use = _renamed(snapshot, path, offset)
    text = tree_of(snapshot, path).text
    if name in KEYWORDS:
        raise RenameRefused(f"'{name}' is a keyword")
    if not (name.isidentifier() and name.isascii()):
        raise RenameRefused(f"'{name}' is no identifier: a letter or '_', then letters, digits and '_'")
    if name == text[use.span.start : use.span.end]:
        return Renaming(())
    places = [each.span for each in uses_of(snapshot, path, use.subject)]
    _demand_same_meaning(snapshot, path, use, places, name)
    found = dict.fromkeys(each.location for each in occurrences(snapshot, path, offset, ()))
    return Renaming(tuple(TextEdit(location, name) for location in sorted(found)))


def _renamed(snapshot: Snapshot, path: str, offset: int) -> Nnef1Use:
    use = use_at(snapshot, path, offset)
    if use is None:
        raise RenameRefused("there is no name here that could be changed")
    if not isinstance(use.subject, LocalSubject | Fragment | SymbolSubject):
        raise RenameRefused(f"'{use.subject.name}' is an operation: its name is fixed")
    return use


def _demand_same_meaning(snapshot: Snapshot, path: str, use: Nnef1Use, places: list[Span], name: str) -> None:
    """Make the change in a copy, and look where every name leads then."""
    text = tree_of(snapshot, path).text
    for span in reversed(places):
        text = Edit(span, name).apply(text)
    after = snapshot.changed({path: text})
    renamed = {span.start for span in places}
    growth, expected = 0, []
    for each in uses(snapshot.db, path):
        if each.span.start in renamed:
            expected.append((each.span.start + growth, "renamed"))
            growth += len(name) - (each.span.end - each.span.start)
        else:
            expected.append((each.span.start + growth, "other"))
    subjects = {start for start, kind in expected if kind == "renamed"}
    found = [*uses(after.db, path)]
    own = {each.subject for each in found if each.span.start in subjects}
    clash = next((each for each in found if each.span.start not in subjects and each.subject in own), None)
    if clash is not None or len(own) != 1 or len(found) != len(expected):
        raise RenameRefused(f"the name would clash with another: there is a '{name}' already")
    before = sum(each.severity is Severity.ERROR for each in snapshot.diagnostics(path))
    errors = [each.message for each in after.diagnostics(path) if each.severity is Severity.ERROR]
    if len(errors) > before:
        raise RenameRefused(f"the program would be wrong then: {errors[0]}")
