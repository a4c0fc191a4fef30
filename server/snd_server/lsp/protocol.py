"""What we do otherwise than pygls: texts are ours (see ``documents``), so its own are never made."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

_Steps = Generator[Any, Any, None]


class Protocol(LanguageServerProtocol):
    """Passes what clients say of documents to our handlers alone."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> _Steps:
        """A document was opened."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> _Steps:
        """A document was changed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> _Steps:
        """A document was closed."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None
