"""Diagnostics: pulled by clients that can, pushed to the others, never both."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.diagnostics import Diagnostic, Severity
from snd_analysis.workspace import Snapshot
from snd_server import rule_url
from snd_server.lsp.analysis_thread import Interrupted, Question
from snd_server.lsp.documents import Document
from snd_server.lsp.uris import path_of, uri_of
from snd_server.reporting import configured, unsuppressed

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}

# How long typing must pause before more than the syntax is looked at, where the client does not pull.
_PAUSE_SECONDS = 0.15


def register(server: SndServer) -> None:
    """Registers the handlers of this module."""
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="snd")
    server.handle(types.TEXT_DOCUMENT_DIAGNOSTIC, _pull, options)


def pulls(server: SndServer) -> bool:
    """Whether the client asks for diagnostics by itself."""
    document = server.client_capabilities.text_document
    return document is not None and document.diagnostic is not None


async def _pull(server: SndServer, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    path = path_of(params.text_document.uri)
    found = await server.session.ask(path, lambda snapshot, question: _found(server, snapshot, path))
    return types.RelatedFullDocumentDiagnosticReport(found)


def diagnose(server: SndServer, uri: str) -> None:
    """A document is new: what is wrong with it is to be told, unless the client will ask."""
    if not pulls(server):
        server.begin(_push(server, path_of(uri)))


def diagnose_again(server: SndServer) -> None:
    """Anything may have changed for open documents."""
    if pulls(server):
        server.workspace_diagnostic_refresh(None)
        return
    for document in server.session.documents:
        diagnose(server, document.uri)


def clear(server: SndServer, document: Document) -> None:
    """A closed document shows nothing."""
    if not pulls(server):
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, []))


async def _push(server: SndServer, path: str) -> None:
    document = server.session.documents.get(path)
    await asyncio.sleep(_PAUSE_SECONDS)
    if document is None or server.session.documents.get(path) is not document:
        return
    try:
        found = await server.session.ask(
            path, lambda snapshot, question: _found(server, snapshot, path), outdatable=True
        )
    except Interrupted:
        return
    if server.session.documents.get(path) is document:
        params = types.PublishDiagnosticsParams(document.uri, found, document.version)
        server.text_document_publish_diagnostics(params)


def _found(server: SndServer, snapshot: Snapshot, path: str) -> list[types.Diagnostic]:
    diagnostics = unsuppressed(snapshot, path, snapshot.diagnostics(path))
    configuration = server.session.configuration(path)
    return [_converted(server, snapshot, each) for each in configured(path, diagnostics, configuration)]


def _converted(server: SndServer, snapshot: Snapshot, diagnostic: Diagnostic) -> types.Diagnostic:
    converter = server.session.converter
    source = snapshot.source(diagnostic.location.path)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(
                uri_of(each.location.path), converter.range(snapshot.source(each.location.path), each.location.span)
            ),
            each.message,
        )
        for each in diagnostic.related
    ]
    return types.Diagnostic(
        converter.range(source, diagnostic.location.span),
        diagnostic.message,
        _SEVERITIES[diagnostic.severity],
        diagnostic.rule,
        types.CodeDescription(rule_url(diagnostic.rule)),
        "snd",
        [types.DiagnosticTag.Unnecessary] if diagnostic.unnecessary else None,
        related or None,
    )


__all__ = ["Question", "clear", "diagnose", "diagnose_again", "pulls", "register"]
