"""Targets of a name: its declaration, its type, or its implementation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.mentions import subject_at
from snd_analysis.ide.targets import LocalName, NameSubject, Owner, attribute_of, owner_of
from snd_analysis.skriptnd.names import AttributeName, ModuleName, OperatorName, Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_START = Span(0, 0)


class Link(Struct, frozen=True):
    """A name, and its target: ``whole`` is the span of the declaration, ``name`` that of the name in it."""

    origin: Span
    whole: Location
    name: Location


def definition(snapshot: Snapshot, path: str, offset: int) -> Link | None:
    """Return the declaration of the name at an offset: also of operators and attributes in other files, and modules."""
    found = subject_at(snapshot, path, offset)
    if found is None:
        return None
    subject, origin = found
    return declaration_of(snapshot, subject, origin)


def declaration_of(snapshot: Snapshot, subject: NameSubject, origin: Span) -> Link | None:
    """Return the declaration of a subject; None for built-in subjects."""
    match subject:
        case ModuleName(path=target):
            return Link(origin, Location(target, _START), Location(target, _START))
        case OperatorName():
            return _operator(snapshot, subject, origin)
        case LocalName() | AttributeName():
            found = _declared(snapshot, subject)
            return None if found is None else _symbol(*found, origin)
    return None


def type_definition(snapshot: Snapshot, path: str, offset: int) -> Link | None:
    """Return the generic type of the parameter named at an offset; for a tensor or a label, its operator."""
    found = subject_at(snapshot, path, offset)
    if found is None:
        return None
    subject, origin = found
    if not isinstance(subject, LocalName | AttributeName):
        return None
    declared = _declared(snapshot, subject)
    return None if declared is None else _type_of(snapshot, *declared, origin)


def implementation(snapshot: Snapshot, path: str, offset: int) -> list[Link]:
    """Return the formulas and compositions of the operator or graph that is named at an offset."""
    found = subject_at(snapshot, path, offset)
    if found is None:
        return []
    subject, origin = found
    if not isinstance(subject, OperatorName):
        return []
    known = snapshot.definitions(subject.path).get(subject.name)
    if known is None:
        return []
    return [
        Link(
            origin,
            Location(subject.path, block.span.shifted(known.start)),
            Location(subject.path, block.keyword.shifted(known.start)),
        )
        for block in known.definition.blocks
        if isinstance(block, nodes.Block) and block.kind in (BlockKind.LOWER, BlockKind.COMPOSE)
    ]


def _operator(snapshot: Snapshot, name: OperatorName, origin: Span) -> Link | None:
    found = snapshot.definitions(name.path).get(name.name)
    if found is None:
        return None
    whole = found.definition.span.shifted(found.start)
    return Link(
        origin, Location(name.path, whole), Location(name.path, found.definition.name.span.shifted(found.start))
    )


def _declared(snapshot: Snapshot, subject: LocalName | AttributeName) -> tuple[str, Owner, Symbol] | None:
    """Return the file, the definition and the symbol that something local to a definition is."""
    if isinstance(subject, LocalName):
        owner = owner_of(snapshot, subject)
        return None if owner is None else (subject.path, owner, subject.symbol)
    found = attribute_of(snapshot, subject)
    return None if found is None else (subject.operator.path, *found)


def _symbol(path: str, owner: Owner, symbol: Symbol, origin: Span) -> Link:
    name = owner.span(symbol)
    whole = _declaring_node(owner.resolution, symbol).shifted(owner.start)
    return Link(origin, Location(path, whole), Location(path, name))


def _declaring_node(resolution: Resolution, symbol: Symbol) -> Span:
    """Return all of the declaration, if the name stands in it."""
    name = resolution.span(symbol)
    whole = symbol.node.span.shifted(resolution.starts.get(symbol.statement, 0))
    return whole if whole.start <= name.start and name.end <= whole.end else name


def _type_of(snapshot: Snapshot, path: str, owner: Owner, symbol: Symbol, origin: Span) -> Link | None:
    resolution = owner.resolution
    if isinstance(symbol.node, nodes.Parameter) and symbol.kind is not SymbolKind.EXTENT:
        generic = resolution.targets.get(symbol.node.type)
        return _symbol(path, owner, generic, origin) if isinstance(generic, Symbol) else None
    if symbol.kind is SymbolKind.LABEL and isinstance(symbol.node, nodes.Labelled):
        labelled = symbol.node.value
        target = resolution.targets.get(labelled.function) if isinstance(labelled, nodes.Call) else None
        return _operator(snapshot, target, origin) if isinstance(target, OperatorName) else None
    if symbol.kind is not SymbolKind.TENSOR:
        return None
    producer = _producer(resolution, symbol)
    target = None if producer is None else resolution.targets.get(producer.function)
    return _operator(snapshot, target, origin) if isinstance(target, OperatorName) else None


def _producer(resolution: Resolution, symbol: Symbol) -> nodes.Call | None:
    """Return the invocation whose result a tensor is."""
    for node in nodes.descendants(symbol.statement):
        if isinstance(node, nodes.Component) and symbol.node in tuple(nodes.descendants(node)):
            value = node.value.value if isinstance(node.value, nodes.Labelled) else node.value
            if isinstance(value, nodes.Call):
                return value
    return None


# ---- invocations between definitions, in both directions -------------------------------------------------------------
class CallItem(Struct, frozen=True):
    """A definition in the hierarchy."""

    name: OperatorName
    kind: str
    whole: Location
    name_location: Location


class Invocations(Struct, frozen=True):
    """The definition at the other end, and the places of the names by which it invokes or is invoked."""

    item: CallItem
    spans: tuple[Span, ...]


def call_item_at(snapshot: Snapshot, path: str, offset: int) -> CallItem | None:
    """Return the definition that is named at an offset, or else the one around it."""
    found = subject_at(snapshot, path, offset)
    if found is not None and isinstance(found[0], OperatorName):
        return call_item(snapshot, found[0])
    around = definition_at(snapshot.tree(path), offset)
    return None if around is None else _item(path, *around)


def call_item(snapshot: Snapshot, name: OperatorName) -> CallItem | None:
    """Return the definition of a name."""
    found = snapshot.definitions(name.path).get(name.name)
    return None if found is None else _item(name.path, found.start, found.definition)


def incoming(snapshot: Snapshot, name: OperatorName, paths: Iterable[str]) -> list[Invocations]:
    """Return the definitions in ``paths``, and in its own file, that invoke a definition or quantize by it."""
    found: list[Invocations] = []
    for path in dict.fromkeys((name.path, *paths)):
        for placed in snapshot.tree(path).chunks:
            if name.name not in placed.chunk.text:
                continue
            for definition in placed.chunk.definitions:
                spans = [span for target, span in _invoked(snapshot, path, placed.start, definition) if target == name]
                if spans:
                    found.append(Invocations(_item(path, placed.start, definition), tuple(sorted(spans))))
    return found


def outgoing(snapshot: Snapshot, name: OperatorName) -> list[Invocations]:
    """Return the definitions that a definition invokes or quantizes by, in the order of their first places in it."""
    found = snapshot.definitions(name.path).get(name.name)
    if found is None:
        return []
    spans: dict[OperatorName, list[Span]] = {}
    for target, span in _invoked(snapshot, name.path, found.start, found.definition):
        spans.setdefault(target, []).append(span)
    items = ((call_item(snapshot, target), tuple(sorted(places))) for target, places in spans.items())
    calls = [Invocations(item, places) for item, places in items if item is not None]
    return sorted(calls, key=lambda call: call.spans)


def _invoked(
    snapshot: Snapshot, path: str, start: int, definition: nodes.Definition
) -> Iterator[tuple[OperatorName, Span]]:
    for use in snapshot.resolution(path, definition).uses:
        if isinstance(use.target, OperatorName):
            yield use.target, use.span.shifted(start)


def _item(path: str, start: int, definition: nodes.Definition) -> CallItem:
    whole, name = definition.span.shifted(start), definition.name.span.shifted(start)
    return CallItem(
        OperatorName(path, definition.name.text), definition.kind, Location(path, whole), Location(path, name)
    )
