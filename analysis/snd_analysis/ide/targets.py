"""Subjects of names, wherever they are used: the common ground of definitions, references and renaming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import dirname
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide.cursor import PlacedUse
from snd_analysis.skriptnd.names import (
    LIBRARY_PREFIX,
    AttributeName,
    BuiltIn,
    ModuleName,
    OperatorName,
    Resolution,
    ShapeMember,
    Symbol,
    SymbolKind,
    Target,
    is_library,
    model_root,
)
from snd_analysis.skriptnd.syntax import is_identifier, nodes
from snd_analysis.workspace import Snapshot


class LocalName(Struct, frozen=True):
    """A symbol of a definition. Others name it by dotted names and in results of samples, if at all."""

    path: str
    symbol: Symbol


NameSubject: TypeAlias = LocalName | AttributeName | OperatorName | ModuleName | BuiltIn
"""A subject of names. An attribute is an ``AttributeName`` in its own definition, too."""


class Owner(Struct, frozen=True):
    """The definition that declares a symbol, and the offset that its spans count from."""

    start: int
    definition: nodes.Definition
    resolution: Resolution

    def span(self, symbol: Symbol) -> Span:
        """Return where a symbol is declared, in the file."""
        return self.resolution.span(symbol).shifted(self.start)


def subject_of(snapshot: Snapshot, placed: PlacedUse) -> NameSubject:
    """Return the subject of a use."""
    return subject_of_target(snapshot, placed.path, placed.definition, placed.use.target)


def subject_of_target(
    snapshot: Snapshot,
    path: str,
    definition: nodes.Definition | None,
    target: Target | ModuleName | AttributeName,
) -> NameSubject:
    """Return the subject of a target, with the symbols of a definition. ``x.shape`` names the tensor."""
    if isinstance(target, ShapeMember):
        target = target.tensor
    if not isinstance(target, Symbol):
        return target
    if target.kind is SymbolKind.ATTRIBUTE and definition is not None:
        name = OperatorName(path, definition.name.text)
        if snapshot.definition(name) is definition:  # not the second of two of one name
            return AttributeName(name, target.name)
    return LocalName(path, target)


def name_of(subject: NameSubject) -> str | None:
    """Return the name of a subject wherever it is mentioned; None for a module, which each file may name otherwise."""
    match subject:
        case LocalName(symbol=symbol):
            return symbol.name
        case ModuleName():
            return None
        case _:
            return subject.name


def path_of(subject: NameSubject) -> str | None:
    """Return the file in which a subject is declared; None for built-in subjects."""
    match subject:
        case BuiltIn():
            return None
        case AttributeName(operator=operator):
            return operator.path
        case _:
            return subject.path


def owner_of(snapshot: Snapshot, subject: LocalName) -> Owner | None:
    """Return the definition that declares a symbol."""
    for placed in snapshot.tree(subject.path).chunks:
        if subject.symbol.name not in placed.chunk.text:
            continue
        for definition in placed.chunk.definitions:
            resolution = snapshot.resolution(subject.path, definition)
            if subject.symbol.statement in resolution.starts:
                return Owner(placed.start, definition, resolution)
    return None


def attribute_of(snapshot: Snapshot, name: AttributeName) -> tuple[Owner, Symbol] | None:
    """Return the symbol of an attribute, and the definition that declares it; None for a missing attribute."""
    found = snapshot.definitions(name.operator.path).get(name.operator.name)
    if found is None:
        return None
    resolution = snapshot.resolution(name.operator.path, found.definition)
    symbols = (each for each in resolution.symbols if each.name == name.name)
    symbol = next((each for each in symbols if each.kind is SymbolKind.ATTRIBUTE), None)
    return None if symbol is None else (Owner(found.start, found.definition, resolution), symbol)


# ---- names by which files are imported -------------------------------------------------------------------------------
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
