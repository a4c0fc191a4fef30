"""Invocations between definitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.base import Source, Span
from snd_analysis.ide.navigation import CallItem, OutlineKind, call_item_at, incoming, outgoing
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_server.lsp.features.symbols import KINDS
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.position_request import at_position
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.answer(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, _prepare)
    server.answer(types.CALL_HIERARCHY_INCOMING_CALLS, _incoming)
    server.answer(types.CALL_HIERARCHY_OUTGOING_CALLS, _outgoing)


async def _prepare(
    session: ClientSession, params: types.TextDocumentPositionParams
) -> list[types.CallHierarchyItem] | None:
    def answer(snapshot: Snapshot, path: str, offset: int) -> list[types.CallHierarchyItem] | None:
        found = call_item_at(snapshot, path, offset)
        return None if found is None else [_item(session, snapshot, found)]

    return await at_position(session, params, answer)


async def _incoming(
    session: ClientSession, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    name = _name(params.item)

    def answer(snapshot: Snapshot, question: Question) -> list[types.CallHierarchyIncomingCall]:
        return [
            types.CallHierarchyIncomingCall(
                _item(session, snapshot, each.item),
                _ranges(session, snapshot.source(each.item.name.path), each.spans),
            )
            for each in incoming(snapshot, name, question.each(session.files()))
        ]

    return await session.ask(name.path, answer, urgency=Urgency.BACKGROUND)


async def _outgoing(
    session: ClientSession, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    name = _name(params.item)

    def answer(snapshot: Snapshot, question: Question) -> list[types.CallHierarchyOutgoingCall]:
        source = snapshot.source(name.path)
        return [
            types.CallHierarchyOutgoingCall(_item(session, snapshot, each.item), _ranges(session, source, each.spans))
            for each in outgoing(snapshot, name)
        ]

    return await session.ask(name.path, answer)


def _item(session: ClientSession, snapshot: Snapshot, item: CallItem) -> types.CallHierarchyItem:
    source, converter = snapshot.source(item.name.path), session.converter
    return types.CallHierarchyItem(
        item.name.name or item.kind,
        KINDS[OutlineKind(item.kind)],
        session.documents.uri(item.name.path),
        converter.range(source, item.whole.span),
        converter.range(source, item.name_location.span),
        detail=item.kind,
        data={"path": item.name.path, "name": item.name.name},
    )


def _name(item: types.CallHierarchyItem) -> OperatorName:
    """Return the definition of an item; for clients that lose our data, by the texts they show."""
    data: Any = item.data
    if isinstance(data, dict) and isinstance(data.get("path"), str) and isinstance(data.get("name"), str):
        return OperatorName(data["path"], data["name"])
    return OperatorName(path_of(item.uri), item.name)


def _ranges(session: ClientSession, source: Source, spans: Iterable[Span]) -> list[types.Range]:
    return [session.converter.range(source, span) for span in spans]
