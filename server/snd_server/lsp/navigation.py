"""From names to where they lead, and what belongs together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.base import Location
from snd_analysis.ide import FrontEnd, folds, front_end, highlights, references, selections
from snd_analysis.ide.navigation import FoldKind, Link
from snd_analysis.skriptnd.names import Role
from snd_analysis.workspace import Snapshot
from snd_server.lsp.analysis_thread import Question
from snd_server.lsp.position_request import AtPosition, at_position
from snd_server.lsp.uris import path_of

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
    server.handle(types.TEXT_DOCUMENT_DEFINITION, _definition)
    server.handle(types.TEXT_DOCUMENT_DECLARATION, _declaration)
    server.handle(types.TEXT_DOCUMENT_TYPE_DEFINITION, _type_definition)
    server.handle(types.TEXT_DOCUMENT_IMPLEMENTATION, _implementation)
    server.handle(types.TEXT_DOCUMENT_REFERENCES, _references)
    server.handle(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlights)
    server.handle(types.TEXT_DOCUMENT_FOLDING_RANGE, _folds)
    server.handle(types.TEXT_DOCUMENT_SELECTION_RANGE, _selections)


async def _definition(server: SndServer, params: types.TextDocumentPositionParams) -> Any:
    return await _links(server, params, _one(lambda language: language.definition), "definition")


async def _declaration(server: SndServer, params: types.TextDocumentPositionParams) -> Any:
    return await _links(server, params, _one(lambda language: language.definition), "declaration")


async def _type_definition(server: SndServer, params: types.TextDocumentPositionParams) -> Any:
    return await _links(server, params, _one(lambda language: language.type_definition), "type_definition")


async def _implementation(server: SndServer, params: types.TextDocumentPositionParams) -> Any:
    def links(snapshot: Snapshot, path: str, offset: int) -> Sequence[Link]:
        return front_end(path).implementation(snapshot, path, offset)

    return await _links(server, params, links, "implementation")


def _one(
    question: Callable[[FrontEnd], Callable[[Snapshot, str, int], Link | None]],
) -> Callable[[Snapshot, str, int], Sequence[Link]]:
    def several(snapshot: Snapshot, path: str, offset: int) -> Sequence[Link]:
        found = question(front_end(path))(snapshot, path, offset)
        return [] if found is None else [found]

    return several


async def _links(
    server: SndServer,
    params: AtPosition,
    function: Callable[[Snapshot, str, int], Sequence[Link]],
    ability: str,
) -> list[types.LocationLink] | list[types.Location] | None:
    """``ability`` is where the client says whether it takes links, which tell more than locations."""
    converter = server.session.converter
    able = getattr(server.client_capabilities.text_document, ability, None)

    def converted(snapshot: Snapshot, path: str, offset: int) -> list[types.LocationLink] | list[types.Location]:
        found = function(snapshot, path, offset)
        if able is None or not able.link_support:
            return [location(server, snapshot, each.name) for each in found]
        links = []
        for each in found:
            target = snapshot.source(each.name.path)
            links.append(
                types.LocationLink(
                    server.session.documents.uri(each.name.path),
                    converter.range(target, each.whole.span),
                    converter.range(target, each.name.span),
                    converter.range(snapshot.source(path), each.origin),
                )
            )
        return links

    return await at_position(server, params, converted) or None


async def _references(server: SndServer, params: types.ReferenceParams) -> list[types.Location] | None:
    path = path_of(params.text_document.uri)

    def converted(snapshot: Snapshot, question: Question) -> list[types.Location]:
        offset = server.session.converter.offset(snapshot.source(path), params.position)
        paths = question.each(server.session.files())
        found = references(snapshot, path, offset, paths, params.context.include_declaration)
        return [location(server, snapshot, each) for each in found]

    return await server.session.ask(path, converted, background=True, if_unchanged=True) or None


async def _highlights(
    server: SndServer, params: types.TextDocumentPositionParams
) -> list[types.DocumentHighlight] | None:
    converter = server.session.converter

    def converted(snapshot: Snapshot, path: str, offset: int) -> list[types.DocumentHighlight]:
        source = snapshot.source(path)
        return [
            types.DocumentHighlight(converter.range(source, each.location.span), _HIGHLIGHTS[each.role])
            for each in highlights(snapshot, path, offset)
        ]

    return await at_position(server, params, converted) or None


async def _folds(server: SndServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    path = path_of(params.text_document.uri)
    converter = server.session.converter

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

    return await server.session.ask(path, converted)


async def _selections(server: SndServer, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    path = path_of(params.text_document.uri)
    converter = server.session.converter

    def converted(snapshot: Snapshot, question: Question) -> list[types.SelectionRange]:
        source = snapshot.source(path)
        found = []
        for position in params.positions:
            nested: types.SelectionRange | None = None
            for span in reversed(selections(snapshot, path, converter.offset(source, position))):
                nested = types.SelectionRange(converter.range(source, span), nested)
            found.append(nested or types.SelectionRange(types.Range(position, position)))
        return found

    return await server.session.ask(path, converted)


def location(server: SndServer, snapshot: Snapshot, place: Location) -> types.Location:
    """Return a place in any file."""
    source = snapshot.source(place.path)
    return types.Location(server.session.documents.uri(place.path), server.session.converter.range(source, place.span))
