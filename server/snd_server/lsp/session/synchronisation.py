"""The texts of open documents."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.TEXT_DOCUMENT_DID_OPEN, _open)
    server.handle(types.TEXT_DOCUMENT_DID_CHANGE, _change)
    server.handle(types.TEXT_DOCUMENT_DID_SAVE, _save, types.SaveOptions(include_text=False))
    server.handle(types.TEXT_DOCUMENT_DID_CLOSE, _close)


def _open(server: SndServer, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    if server.session.documents.get(path_of(document.uri)) is not None:
        _logger.warning("%s was opened again without being closed", document.uri)
    server.session.open(document.uri, document.version, document.text)
    _changed(server, document.uri)


def _change(server: SndServer, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    before = server.session.documents.get(path_of(document.uri))
    if before is None:
        _logger.warning("a change of %s, which is not open, is ignored", document.uri)
        return
    if document.version <= before.version:  # the client's text counts, with any version
        _logger.warning("%s went from version %d back to %d", document.uri, before.version, document.version)
    server.session.change(document.uri, document.version, params.content_changes)
    _changed(server, document.uri)


def _save(server: SndServer, params: types.DidSaveTextDocumentParams) -> None:
    """Note a saved file. Clients that watch no files report at least the files that they write themselves."""
    path = path_of(params.text_document.uri)
    server.session.refresh([path])
    server.proofs.saved(path)


def _close(server: SndServer, params: types.DidCloseTextDocumentParams) -> None:
    document = server.session.close(params.text_document.uri)
    if document is None:
        _logger.warning("%s was closed without being open", params.text_document.uri)
        return
    server.publisher.closed(document)
    server.refresher.closed(document.source.path)
    server.refresher.texts(document.source.path)
    server.evaluations.closed(document.source.path)
    server.proofs.closed(document.source.path)
    server.evaluations.changed()


def _changed(server: SndServer, uri: str) -> None:
    document = server.session.documents.get(path_of(uri))
    if document is not None:
        server.publisher.changed(document)
        server.refresher.texts(document.source.path)
        server.evaluations.changed()
        server.proofs.changed()
