"""Rules about the modules that a file imports."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem
from snd_analysis.skriptnd.lints.imported_names import ImportedName
from snd_analysis.skriptnd.lints.imports import (
    duplicate_import,
    graph_in_imported_module,
    module_not_found,
    shadowed_module,
    unused_import,
)


def check_imports(imports: tuple[ImportedName, ...], used: frozenset[str], known: tuple[str, ...]) -> Iterator[Problem]:
    """Report problems of the imports of a file.

    ``used`` are the names of modules that the file uses, ``known`` the names of all modules that it could import.
    """
    first: dict[str, ImportedName] = {}
    for item in imports:
        earlier = first.setdefault(item.node.text, item)
        if earlier is not item:
            yield duplicate_import.problem(item, earlier)
        elif item.path is None:
            yield module_not_found.problem(item, known)
        else:
            yield from graph_in_imported_module.check(item)
            yield from shadowed_module.check(item)
            yield from unused_import.check(item, used)
