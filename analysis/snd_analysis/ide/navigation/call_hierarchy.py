"""Invocations between definitions, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from snd_analysis.base import Location, Span
from snd_analysis.ide.cursor import definition_at
from snd_analysis.ide.mentions import subject_at
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot


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
