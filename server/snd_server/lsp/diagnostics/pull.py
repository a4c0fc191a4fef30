"""Diagnostics of one document, for clients that ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from snd_server.lsp.diagnostics.diagnostics import result_id, wrong_with
from snd_server.lsp.session.analysis_thread import Interrupted, Urgency
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="snd", work_done_progress=True
    )
    server.handle(types.TEXT_DOCUMENT_DIAGNOSTIC, _pull, options)


async def _pull(server: SndServer, params: types.DocumentDiagnosticParams) -> _Report:
    path = path_of(params.text_document.uri)
    wrong = wrong_with(server, path, server.counterexamples.before_search)
    try:
        version, items = await server.session.ask(path, wrong, urgency=Urgency.BACKGROUND, if_unchanged=True)
    except UnknownDocument:  # closed, or deleted, by now
        version, items = None, []
    except Interrupted:
        again = types.DiagnosticServerCancellationData(retrigger_request=True)
        raise JsonRpcException("the text has changed meanwhile", types.LSPErrorCodes.ServerCancelled, again) from None
    now = result_id(items)
    server.refresher.told(path, version, now)
    if now == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(now)
    return types.RelatedFullDocumentDiagnosticReport(items, result_id=now)
