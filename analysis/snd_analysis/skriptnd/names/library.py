"""The modules of the standard library (chapter 4), which come with the package and have paths such as ``snd:math``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pkgutil import get_data
from posixpath import dirname, join, normpath
from typing import Final, NamedTuple

from snd_analysis.skriptnd.names.module_scope import ModuleNames
from snd_analysis.skriptnd.syntax import Chunk, PlacedChunk, SyntaxTree, keywords, nodes

LIBRARY_PREFIX = "snd:"
_HEADER = re.compile(r"^(?:public )?(operator|graph) (\w+) \{", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:public )?(?:operator|graph) \w+ \{$.*?^\}$", re.MULTILINE | re.DOTALL)


_STANDARD = "std"
_MODULES: Final = {
    _STANDARD: ("algo", "image", "layer", "layout", "linalg", "math", "misc", "nn", "quant", "rand"),
    "cvm": ("cvm",),
    "nnef1": ("nnef1", "nnef1_quantization", "tract", "tract_pulse"),
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
    """Return the name of the definition in a chunk of a library module; None for a chunk without definition."""
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


# ---- the definitions of a file by name; of two of one name the first -------------------------------------------------
class Found(NamedTuple):
    """A definition, the offset that its spans count from, and its chunk."""

    start: int
    definition: nodes.Definition
    chunk: Chunk


Definitions = Mapping[str, Found]


def definitions_of(tree: SyntaxTree) -> Definitions:
    """Return the definitions of any file."""
    found: dict[str, Found] = {}
    for placed in tree.chunks:
        for definition in placed.chunk.definitions:
            if definition.name.text:
                found.setdefault(definition.name.text, Found(placed.start, definition, placed.chunk))
    return found


def definitions_are_readable(tree: SyntaxTree) -> bool:
    """Return whether the names of all definitions of a file are known."""
    return not any(
        isinstance(item, nodes.ErrorItem)
        or (isinstance(item, nodes.Definition) and (not item.name.text or item.name.text in keywords()))
        for placed in tree.chunks
        for item in placed.chunk.document.items
    )


class LibraryDefinitions(Definitions):
    """The definitions of a module of the standard library, each parsed when it is asked for."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._chunks: dict[str, PlacedChunk] = {}
        for placed in tree.chunks:
            name = header_name(placed.chunk.text)
            if name is not None:
                self._chunks[name] = placed

    def __getitem__(self, name: str) -> Found:
        placed = self._chunks[name]
        return Found(placed.start, next(placed.chunk.definitions), placed.chunk)

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)


# ---- search order for the module of an import (2.15, LANGUAGE) -------------------------------------------------------
# It is searched for beside the file, in the model's root, in the configured folders, then in the standard library.

# ---- search order for the module of an import (2.15, LANGUAGE) -------------------------------------------------------
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
