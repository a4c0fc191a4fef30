"""Files and folders that move: the import statements, and the names of modules, that have to change with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from posixpath import dirname

from msgspec import Struct

from snd_analysis.base import Location, TextEdit
from snd_analysis.ide.mentions import mentions
from snd_analysis.ide.module_names import names_of
from snd_analysis.skriptnd.names import ModuleName, candidates, is_library, model_root
from snd_analysis.workspace import Snapshot


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
