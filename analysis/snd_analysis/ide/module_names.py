"""Names by which files are imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import dirname

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, is_library, model_root
from snd_analysis.skriptnd.syntax import is_identifier
from snd_analysis.workspace import Snapshot

_SUFFIX = ".sknd"


def module_name(snapshot: Snapshot, path: str, importer: str) -> str:
    """Return the name of a module as a file writes it: in its import, else as it could import it."""
    if is_library(path):
        return path.removeprefix(LIBRARY_PREFIX)
    imported = next((item.node.text for item in snapshot.imports(importer) if item.path == path), None)
    if imported is not None:
        return imported
    root, beside = model_root(importer, snapshot.exists), dirname(importer)
    paths = snapshot.settings.module_paths
    folders = [root, *paths, beside] if path == importer else [beside, root, *paths]
    bare = path.replace("\\", "/").rpartition("/")[2].removesuffix(_SUFFIX)
    return next(names_of(path, folders), bare)


def shown_name(snapshot: Snapshot, name: OperatorName, path: str) -> str:
    """Return how a definition is named in another file, or in its own."""
    return name.name if name.path == path else f"{module_name(snapshot, name.path, path)}.{name.name}"


def names_of(target: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield the names that a file may have seen from these folders."""
    for folder in folders:
        prefix = f"{folder.rstrip('/')}/" if folder else ""
        if target.startswith(prefix) and target.endswith(_SUFFIX):
            parts = target[len(prefix) : -len(_SUFFIX)].split("/")
            if all(is_identifier(part) for part in parts):
                yield ".".join(parts)
