"""The modules of the standard library (chapter 4), which come with the package and have paths such as ``snd:math``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from snd_analysis.skriptnd.names.module_scope import ModuleNames

LIBRARY_PREFIX = "snd:"
_HEADER = re.compile(r"^(?:public )?(operator|graph) (\w+) \{", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:public )?(?:operator|graph) \w+ \{$.*?^\}$", re.MULTILINE | re.DOTALL)


_STANDARD = "std"
_FORMATS = ("nnef1", "cvm", "tosa", "tennis", "onnx")
"""The folders of modules that have the operations of other formats."""


@cache
def library_modules() -> tuple[str, ...]:
    """Return names of the modules of the standard library."""
    return tuple(sorted(name for name, folder in _folders().items() if folder == _STANDARD))


@cache
def format_modules() -> tuple[str, ...]:
    """Return names of the modules with the operations of other formats: they can be imported, but are not proposed."""
    return tuple(sorted(name for name, folder in _folders().items() if folder != _STANDARD))


@cache
def _folders() -> Mapping[str, str]:
    """Return the folder of each module."""
    libraries = files("snd_analysis").joinpath("libraries")
    found = ((item.name, folder) for folder in (_STANDARD, *_FORMATS) for item in libraries.joinpath(folder).iterdir())
    return {name.removesuffix(".sknd"): folder for name, folder in found if name.endswith(".sknd")}


@cache
def library_text(path: str) -> str:
    """Return text of a module of the library by its path."""
    return files("snd_analysis").joinpath("libraries", library_file(path)).read_text(encoding="utf-8")


@cache
def library_file(path: str) -> str:
    """Return the file of a module of the library, ``std/nn.sknd``, by its path. Raises FileNotFoundError."""
    name = path.removeprefix(LIBRARY_PREFIX)
    if name not in _folders():
        raise FileNotFoundError(path)
    return f"{_folders()[name]}/{name}.sknd"


def is_library(path: str) -> bool:
    """Return whether a path names a module of the library."""
    return path.startswith(LIBRARY_PREFIX)


@cache
def library_names(module: str) -> ModuleNames:
    """Return the definitions of a module of the library; found by their heads, so that nothing need be parsed for
    it."""
    path = LIBRARY_PREFIX + module
    return ModuleNames(path, {head[2]: head[1] for head in _HEADER.finditer(library_text(path))})


def header_name(chunk: str) -> str | None:
    """Return the name of the definition in a chunk of a module of the library; None for the chunk that is none."""
    head = _HEADER.search(chunk)
    return head and head[2]


def library_original(path: str, definition: str) -> str | None:
    """Return the path of the module of the library that a definition is copied from: that is named like the file at
    ``path`` and holds the definition word for word. None if there is none."""
    module = path.rpartition("/")[2].removesuffix(".sknd")
    if module not in _folders() or definition not in _library_definitions(module):
        return None
    return LIBRARY_PREFIX + module


@cache
def _library_definitions(module: str) -> frozenset[str]:
    return frozenset(found[0] for found in _DEFINITION.finditer(library_text(LIBRARY_PREFIX + module)))


class LibraryNames(Mapping[str, ModuleNames]):
    """The modules of the library but those ``without``, each read when it is asked for."""

    def __init__(self, without: frozenset[str]) -> None:
        self._names = tuple(name for name in library_modules() if name not in without)

    def __getitem__(self, name: str) -> ModuleNames:
        if name not in self._names:
            raise KeyError(name)
        return library_names(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
