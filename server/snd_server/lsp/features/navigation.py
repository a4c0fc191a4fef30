"""Targets of names, and related names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.ide import FrontEnd, folds, front_end, highlights, references, selections
from snd_analysis.ide.navigation import FoldKind, Link
from snd_analysis.skriptnd.names import Role
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.position_request import AtPosition, at_position
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_HIGHLIGHTS = {
    Role.DECLARATION: types.DocumentHighlightKind.Write,
    Role.WRITE: types.DocumentHighlightKind.Write,
    Role.READ: types.DocumentHighlightKind.Read,
}
_FOLDS = {
    FoldKind.CODE: types.FoldingRangeKind.Region,
    FoldKind.COMMENT: types.FoldingRangeKind.Comment,
    FoldKind.IMPORTS: types.FoldingRangeKind.Imports,
}


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.answer(types.TEXT_DOCUMENT_DEFINITION, _definition)
    server.answer(types.TEXT_DOCUMENT_DECLARATION, _declaration)
    server.answer(types.TEXT_DOCUMENT_TYPE_DEFINITION, _type_definition)
    server.answer(types.TEXT_DOCUMENT_IMPLEMENTATION, _implementation)
    server.answer(types.TEXT_DOCUMENT_REFERENCES, _references)
    server.answer(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlights)
    server.answer(types.TEXT_DOCUMENT_FOLDING_RANGE, _folds)
    server.answer(types.TEXT_DOCUMENT_SELECTION_RANGE, _selections)


async def _definition(session: ClientSession, params: types.TextDocumentPositionParams) -> Any:
    return await _links(session, params, _one(lambda language: language.definition), "definition")


async def _declaration(session: ClientSession, params: types.TextDocumentPositionParams) -> Any:
    return await _links(session, params, _one(lambda language: language.definition), "declaration")


async def _type_definition(session: ClientSession, params: types.TextDocumentPositionParams) -> Any:
    return await _links(session, params, _one(lambda language: language.type_definition), "type_definition")


async def _implementation(session: ClientSession, params: types.TextDocumentPositionParams) -> Any:
    def links(snapshot: Snapshot, path: str, offset: int) -> Sequence[Link]:
        return front_end(path).implementation(snapshot, path, offset)

    return await _links(session, params, links, "implementation")


def _one(
    question: Callable[[FrontEnd], Callable[[Snapshot, str, int], Link | None]],
) -> Callable[[Snapshot, str, int], Sequence[Link]]:
    def several(snapshot: Snapshot, path: str, offset: int) -> Sequence[Link]:
        found = question(front_end(path))(snapshot, path, offset)
        return [] if found is None else [found]

    return several


async def _links(
    session: ClientSession,
    params: AtPosition,
    function: Callable[[Snapshot, str, int], Sequence[Link]],
    ability: str,
) -> list[types.LocationLink] | list[types.Location] | None:
    """Return links if the client accepts them, else locations.

    ``ability`` names the capability of the client. Links tell more than locations.
    """
    converter = session.converter
    able = getattr(session.capabilities.text_document, ability, None)

    def converted(snapshot: Snapshot, path: str, offset: int) -> list[types.LocationLink] | list[types.Location]:
        found = function(snapshot, path, offset)
        if able is None or not able.link_support:
            return [session.location(snapshot, each.name) for each in found]
        links = []
        for each in found:
            target = snapshot.source(each.name.path)
            links.append(
                types.LocationLink(
                    session.documents.uri(each.name.path),
                    converter.range(target, each.whole.span),
                    converter.range(target, each.name.span),
                    converter.range(snapshot.source(path), each.origin),
                )
            )
        return links

    return await at_position(session, params, converted) or None


async def _references(session: ClientSession, params: types.ReferenceParams) -> list[types.Location] | None:
    path = path_of(params.text_document.uri)

    def converted(snapshot: Snapshot, question: Question) -> list[types.Location]:
        offset = session.converter.offset(snapshot.source(path), params.position)
        paths = question.each(session.files())
        found = references(snapshot, path, offset, paths, params.context.include_declaration)
        return [session.location(snapshot, each) for each in found]

    return await session.ask(path, converted, urgency=Urgency.BACKGROUND, if_unchanged=True) or None


async def _highlights(
    session: ClientSession, params: types.TextDocumentPositionParams
) -> list[types.DocumentHighlight] | None:
    converter = session.converter

    def converted(snapshot: Snapshot, path: str, offset: int) -> list[types.DocumentHighlight]:
        source = snapshot.source(path)
        return [
            types.DocumentHighlight(converter.range(source, each.location.span), _HIGHLIGHTS[each.role])
            for each in highlights(snapshot, path, offset)
        ]

    return await at_position(session, params, converted) or None


async def _folds(session: ClientSession, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    path = path_of(params.text_document.uri)
    converter = session.converter

    def converted(snapshot: Snapshot, question: Question) -> list[types.FoldingRange]:
        source = snapshot.source(path)
        found = []
        for each in folds(snapshot, path):
            range_ = converter.range(source, each.span)
            # The line with the closing brace stays to be seen.
            last = range_.end.line - (each.kind is FoldKind.CODE)
            if last > range_.start.line:
                found.append(types.FoldingRange(range_.start.line, last, kind=_FOLDS[each.kind]))
        return found

    return await session.ask(path, converted)


async def _selections(session: ClientSession, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    path = path_of(params.text_document.uri)
    converter = session.converter

    def converted(snapshot: Snapshot, question: Question) -> list[types.SelectionRange]:
        source = snapshot.source(path)
        found = []
        for position in params.positions:
            nested: types.SelectionRange | None = None
            for span in reversed(selections(snapshot, path, converter.offset(source, position))):
                nested = types.SelectionRange(converter.range(source, span), nested)
            found.append(nested or types.SelectionRange(types.Range(position, position)))
        return found

    return await session.ask(path, converted)
