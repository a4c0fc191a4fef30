"""Outlines of documents, symbols of the workspace, and links to modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.base import Source
from snd_analysis.ide import front_end
from snd_analysis.ide.navigation import DocumentSymbol, OutlineKind, workspace_symbols
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.position_request import ANYWHERE
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

KINDS = {
    OutlineKind.OPERATOR: types.SymbolKind.Function,
    OutlineKind.GRAPH: types.SymbolKind.Class,
    OutlineKind.BLOCK: types.SymbolKind.Namespace,
    OutlineKind.TYPE: types.SymbolKind.TypeParameter,
    OutlineKind.ATTRIBUTE: types.SymbolKind.Property,
    OutlineKind.PARAMETER: types.SymbolKind.Field,
    OutlineKind.VALUE: types.SymbolKind.Constant,
    OutlineKind.TENSOR: types.SymbolKind.Variable,
    OutlineKind.LABEL: types.SymbolKind.Key,
    OutlineKind.FORMULA: types.SymbolKind.Operator,
    OutlineKind.QUANTIZATION: types.SymbolKind.Event,
}
"""Kinds of symbols that editors show for the symbols of the language."""


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.answer(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _outline)
    server.answer(types.WORKSPACE_SYMBOL, _workspace)
    server.answer(types.TEXT_DOCUMENT_DOCUMENT_LINK, _document_links, types.DocumentLinkOptions(resolve_provider=False))


async def _outline(
    session: ClientSession, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    path = path_of(params.text_document.uri)
    document = session.capabilities.text_document
    nested = document and document.document_symbol and document.document_symbol.hierarchical_document_symbol_support

    def answer(snapshot: Snapshot, question: Question) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        symbols, source = front_end(path).outline(snapshot, path), snapshot.source(path)
        if nested:
            return [_nested(session, source, each) for each in symbols]
        return [*_flat(session, source, params.text_document.uri, symbols, None)]

    return await session.ask(path, answer)


def _nested(session: ClientSession, source: Source, symbol: DocumentSymbol) -> types.DocumentSymbol:
    converter = session.converter
    return types.DocumentSymbol(
        symbol.name,
        KINDS[symbol.kind],
        converter.range(source, symbol.whole),
        converter.range(source, symbol.name_span),
        symbol.detail or None,
        children=[_nested(session, source, each) for each in symbol.children] or None,
    )


def _flat(
    session: ClientSession, source: Source, uri: str, symbols: Iterable[DocumentSymbol], container: str | None
) -> Iterator[types.SymbolInformation]:
    """For clients that know no outlines: each symbol with the definition that it stands in. Blocks are left out."""
    for each in symbols:
        if each.kind is not OutlineKind.BLOCK:
            place = types.Location(uri, session.converter.range(source, each.whole))
            yield types.SymbolInformation(place, each.name, KINDS[each.kind], container_name=container)
        yield from _flat(session, source, uri, each.children, container or each.name)


async def _workspace(session: ClientSession, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    def answer(snapshot: Snapshot, question: Question) -> list[types.WorkspaceSymbol]:
        found = workspace_symbols(snapshot, params.query, question.each(session.files()))
        return [
            types.WorkspaceSymbol(
                session.location(snapshot, each.location),
                each.name.name,
                KINDS[OutlineKind(each.kind)],
                container_name=each.module,
            )
            for each in found
        ]

    return await session.ask(ANYWHERE, answer, urgency=Urgency.BACKGROUND)


async def _document_links(session: ClientSession, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    path = path_of(params.text_document.uri)
    converter, documents = session.converter, session.documents

    def answer(snapshot: Snapshot, question: Question) -> list[types.DocumentLink]:
        source = snapshot.source(path)
        return [
            types.DocumentLink(converter.range(source, each.span), documents.uri(each.target))
            for each in front_end(path).links(snapshot, path)
        ]

    return await session.ask(path, answer)
