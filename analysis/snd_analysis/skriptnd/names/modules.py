"""Search order for the module of an import (2.15, LANGUAGE).

It is searched for beside the file, in the model's root, in the configured folders, then in the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from posixpath import dirname, join, normpath

from snd_analysis.skriptnd.names.library import LIBRARY_PREFIX, format_modules, is_library, library_modules

_MAIN = "main.sknd"


def is_main(path: str) -> bool:
    """Return whether a file is the main module of its model folder."""
    return path.rpartition("/")[2] == _MAIN


def candidates(module: str, importer: str, exists: Callable[[str], bool], module_paths: Sequence[str]) -> Iterator[str]:
    """Yield every path that the import of ``module`` in ``importer`` could mean, the one that it means first."""
    relative = f"{module.replace('.', '/')}.sknd"
    if not is_library(importer):
        folders = dict.fromkeys([dirname(importer), model_root(importer, exists), *module_paths])
        for folder in folders:
            path = normpath(join(folder, relative)) if folder else relative
            if exists(path):
                yield path
    if module in library_modules() or module in format_modules():
        yield LIBRARY_PREFIX + module


def model_root(path: str, exists: Callable[[str], bool]) -> str:
    """Return the folder of the model that a file belongs to: the nearest one above it that holds a main module."""
    folder = dirname(path)
    while True:
        if exists(join(folder, _MAIN)):
            return folder
        above = dirname(folder)
        if above == folder or folder in ("", ".") or folder.rpartition("/")[2] == "..":
            return dirname(path)
        folder = above
