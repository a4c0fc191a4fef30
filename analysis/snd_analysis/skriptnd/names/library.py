"""The modules of the standard library (chapter 4), which come with the package and have paths such as ``snd:math``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import get_data
from typing import Final

from snd_analysis.skriptnd.names.module_scope import ModuleNames

LIBRARY_PREFIX = "snd:"
_HEADER = re.compile(r"^(?:public )?(operator|graph) (\w+) \{", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:public )?(?:operator|graph) \w+ \{$.*?^\}$", re.MULTILINE | re.DOTALL)


_STANDARD = "std"
_MODULES: Final = {
    _STANDARD: ("algo", "image", "layer", "layout", "linalg", "math", "misc", "nn", "quant", "rand"),
    "cvm": ("cvm",),
    "nnef1": ("nnef1", "nnef1_quantization", "tract"),
    "onnx": ("onnx",),
    "tennis": ("tennis",),
    "tosa": ("tosa",),
}
"""The modules in each folder of ``libraries``; folders after the first have the operations of other formats.

Listing the folders would take a tenth of the time of a start.
"""

_FOLDERS: Final = {module: folder for folder, modules in _MODULES.items() for module in modules}


def library_modules() -> tuple[str, ...]:
    """Return names of the modules of the standard library."""
    return _MODULES[_STANDARD]


@cache
def format_modules() -> tuple[str, ...]:
    """Return names of the modules with the operations of other formats: they can be imported, but are not proposed."""
    return tuple(sorted(set(_FOLDERS).difference(library_modules())))


@cache
def library_text(path: str) -> str:
    """Return text of a module of the library by its path. Raise FileNotFoundError."""
    content = get_data("snd_analysis", f"libraries/{library_file(path)}")
    assert content is not None
    return content.decode().replace("\r\n", "\n")


@cache
def library_file(path: str) -> str:
    """Return the file of a module of the library, ``std/nn.sknd``, by its path. Raise FileNotFoundError."""
    name = path.removeprefix(LIBRARY_PREFIX)
    if name not in _FOLDERS:
        raise FileNotFoundError(path)
    return f"{_FOLDERS[name]}/{name}.sknd"


def is_library(path: str) -> bool:
    """Return whether a path names a module of the library."""
    return path.startswith(LIBRARY_PREFIX)


def is_format_library(path: str) -> bool:
    """Return whether a path names a module with the operations of another format."""
    return is_library(path) and path.removeprefix(LIBRARY_PREFIX) in format_modules()


@cache
def library_names(module: str) -> ModuleNames:
    """Return the definitions of a module of the library, found by their heads without parsing."""
    path = LIBRARY_PREFIX + module
    return ModuleNames(path, {head[2]: head[1] for head in _HEADER.finditer(library_text(path))})


def header_name(chunk: str) -> str | None:
    """Return the name of the definition in a chunk of a module of the library; None for the chunk that is none."""
    head = _HEADER.search(chunk)
    return head and head[2]


def library_original(path: str, definition: str) -> str | None:
    """Return the path of the library module that a definition is copied from; None if there is none.

    That module is named like the file at ``path`` and holds the definition word for word.
    """
    module = path.rpartition("/")[2].removesuffix(".sknd")
    if module not in _FOLDERS or definition not in _library_definitions(module):
        return None
    return LIBRARY_PREFIX + module


@cache
def _library_definitions(module: str) -> frozenset[str]:
    return frozenset(found[0] for found in _DEFINITION.finditer(library_text(LIBRARY_PREFIX + module)))


class LibraryNames(Mapping[str, ModuleNames]):
    """The modules of the library except those in ``without``, each read on first access."""

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
