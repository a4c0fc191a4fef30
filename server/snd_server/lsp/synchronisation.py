"""The texts of open documents."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_server.lsp.diagnostics import clear, diagnose, diagnose_again

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)


def register(server: SndServer) -> None:
    """Registers the handlers of this module."""
    server.handle(types.TEXT_DOCUMENT_DID_OPEN, _open)
    server.handle(types.TEXT_DOCUMENT_DID_CHANGE, _change)
    server.handle(types.TEXT_DOCUMENT_DID_CLOSE, _close)


def _open(server: SndServer, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    server.session.open(document.uri, document.version, document.text)
    diagnose(server, document.uri)


def _change(server: SndServer, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    try:
        server.session.change(document.uri, document.version, params.content_changes)
    except KeyError:
        _logger.warning("a change of %s, which is not open, is ignored", document.uri)
        return
    diagnose(server, document.uri)


def _close(server: SndServer, params: types.DidCloseTextDocumentParams) -> None:
    document = server.session.close(params.text_document.uri)
    if document is None:
        _logger.warning("%s was closed without being open", params.text_document.uri)
        return
    clear(server, document)
    diagnose_again(server)
