"""Where else something is named."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.base import Location
from snd_analysis.ide.mentions import Occurrence, occurrences, subject_at
from snd_analysis.ide.targets import path_of
from snd_analysis.skriptnd.names import ModuleName, Role
from snd_analysis.workspace import Snapshot


def references(
    snapshot: Snapshot, path: str, offset: int, paths: Iterable[str], with_declaration: bool = True
) -> list[Location]:
    """Every place where what is named at an offset is named: in ``paths``, in the file itself, and where it is from."""
    found = subject_at(snapshot, path, offset)
    if found is None:
        return []
    subject = found[0]
    own = None if isinstance(subject, ModuleName) else path_of(subject)
    places = {
        each.location: each.role
        for each in occurrences(snapshot, subject, (path, *([] if own is None else [own]), *paths))
        if with_declaration or each.role is not Role.DECLARATION
    }
    return sorted(places)


def highlights(snapshot: Snapshot, path: str, offset: int) -> list[Occurrence]:
    """The same in this file alone, with what is done at each place: it is declared, read or written."""
    found = subject_at(snapshot, path, offset)
    if found is None:
        return []
    places = {each.location: each for each in occurrences(snapshot, found[0], (path,)) if each.location.path == path}
    return [places[location] for location in sorted(places)]
