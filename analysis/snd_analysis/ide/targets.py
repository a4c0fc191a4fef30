"""What a name stands for, wherever it is used: the common ground of definitions, references and renaming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from snd_analysis.diagnostics import Location
from snd_analysis.ide.cursor import PlacedUse, import_at, use_at, uses_in
from snd_analysis.names.resolution import AttributeName, ModuleName, Role, Use
from snd_analysis.names.symbols import BuiltIn, OperatorName, ShapeMember, Symbol, SymbolKind
from snd_analysis.source import Span
from snd_analysis.workspace import Snapshot


@dataclass(frozen=True, slots=True)
class LocalName:
    """A symbol of a definition that no other definition can name."""

    path: str
    symbol: Symbol


Subject: TypeAlias = LocalName | AttributeName | OperatorName | ModuleName | BuiltIn
"""Whatever has a name. An attribute is an ``AttributeName`` in its own definition, too."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name where it stands, and what it does there."""

    location: Location
    role: Role


def subject_at(snapshot: Snapshot, path: str, offset: int) -> tuple[Subject, Span] | None:
    """What the name at an offset stands for, and where that name is."""
    imported = import_at(snapshot, path, offset)
    if imported is not None:
        span, _, target = imported
        return None if target is None else (ModuleName(target), span)
    placed = use_at(snapshot, path, offset)
    if placed is None:
        return _definition_name_at(snapshot, path, offset)
    subject = subject_of(placed)
    return subject, placed.span


def subject_of(placed: PlacedUse) -> Subject:
    """What a use stands for. The tensor of ``x.shape`` is what is named there."""
    target = placed.use.target
    if isinstance(target, ShapeMember):
        target = target.tensor
    if not isinstance(target, Symbol):
        return target
    if target.kind is SymbolKind.ATTRIBUTE:
        return AttributeName(OperatorName(placed.path, placed.definition.name.text), target.name)
    return LocalName(placed.path, target)


def occurrences(snapshot: Snapshot, subject: Subject, paths: Iterable[str]) -> Iterator[Occurrence]:
    """Everywhere in the files that something is named, its declaration too."""
    if isinstance(subject, LocalName):
        paths = [subject.path]
    for path in dict.fromkeys(paths):
        yield from _declarations(snapshot, subject, path)
        for placed in uses_in(snapshot, path):
            if subject_of(placed) == subject:
                yield Occurrence(Location(path, placed.span), placed.use.role)


def _declarations(snapshot: Snapshot, subject: Subject, path: str) -> Iterator[Occurrence]:
    """What no definition's resolution holds: names of definitions, and of modules in import statements."""
    if isinstance(subject, OperatorName) and subject.path == path:
        found = snapshot.definitions(path).get(subject.name)
        if found is not None:
            yield Occurrence(Location(path, found.definition.name.span.shifted(found.start)), Role.DECLARATION)
    if isinstance(subject, ModuleName):
        for item in snapshot.imports(path):
            if item.path == subject.path:
                yield Occurrence(Location(path, item.node.span.shifted(item.base)), Role.READ)


def _definition_name_at(snapshot: Snapshot, path: str, offset: int) -> tuple[Subject, Span] | None:
    for start, definition in snapshot.tree(path).definitions:
        span = definition.name.span.shifted(start)
        if span.start <= offset <= span.end and definition.name.text:
            return OperatorName(path, definition.name.text), span
    return None


__all__ = ["LocalName", "Occurrence", "Subject", "Use", "occurrences", "subject_at", "subject_of"]
