"""Modules: to import, and to name operators of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname, normpath

from snd_analysis.ide.completion.item import Completion, CompletionKind
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, candidates, is_library, is_main, library_modules, model_root
from snd_analysis.workspace import Snapshot

_SUFFIX = ".sknd"
_GROUP, _OTHERS = 4, 8


def importable(snapshot: Snapshot, path: str, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the modules that a file can import, with their paths; files must be known to exist."""
    if not is_library(path):
        folders = dict.fromkeys([dirname(path), model_root(path, snapshot.exists), *snapshot.settings.module_paths])
        for file in files:
            if file == path or is_main(file) or not file.endswith(_SUFFIX):
                continue
            for folder in folders:
                inside = normpath(folder).rstrip("/") + "/" if folder else ""
                module = file[len(inside) : -len(_SUFFIX)].replace("/", ".")
                if not file.startswith(inside) or not all(part.isidentifier() for part in module.split(".")):
                    continue
                if next(candidates(module, path, snapshot.exists, snapshot.settings.module_paths), None) == file:
                    yield module, file
                    break
    for module in library_modules():
        if LIBRARY_PREFIX + module != path:
            yield module, LIBRARY_PREFIX + module


def imports(snapshot: Snapshot, place: CompletionPlace, files: Sequence[str]) -> Iterator[Completion]:
    """Yield the completions after ``import``: modules that are not imported yet, part by part."""
    before = "".join(f"{part}." for part in place.qualifier)
    imported = {
        item.node.text for item in snapshot.imports(place.path)
        if not item.span.start <= place.offset <= item.span.end
    }  # fmt: skip
    for module, target in importable(snapshot, place.path, files):
        if module.startswith(before) and module not in imported:
            yield Completion(
                module[len(before) :], CompletionKind.MODULE, 1 if is_library(target) else 0,
                detail="standard library" if is_library(target) else target, subject=("module", target, module),
            )  # fmt: skip


def qualifiers(snapshot: Snapshot, place: CompletionPlace, files: Sequence[str]) -> Iterator[Completion]:
    """Yield the modules with operators, unimported ones last."""
    before = "".join(f"{part}." for part in place.qualifier)
    dot = "" if place.following == "." else "."
    imported = snapshot.module_scope(place.path).imports
    for module, names in imported.items():
        if module.startswith(before):
            label = module[len(before) :]
            yield Completion(
                label, CompletionKind.MODULE, _GROUP, text=label + dot, subject=("module", names.path, module),
            )  # fmt: skip
    if is_library(place.path):
        return
    for module, target in importable(snapshot, place.path, files):
        if module not in imported and module.startswith(before):
            label = module[len(before) :]
            edits = (snapshot.import_edit(place.path, module),)
            yield Completion(
                label, CompletionKind.MODULE, _OTHERS, text=label + dot, detail=f"import {module}", edits=edits,
                subject=("module", target, module),
            )  # fmt: skip
