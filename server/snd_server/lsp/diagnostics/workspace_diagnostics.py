"""Diagnostics of all files, for clients that ask for them: in portions, and only unknown ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs
from lsprotocol import types

from snd_server.lsp.diagnostics.diagnostics import result_id, wrong_with
from snd_server.lsp.limits import MOST_REPORTS_TOGETHER
from snd_server.lsp.session.analysis_thread import Urgency
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.wire.progress import progress
from snd_server.lsp.wire.uris import path_of
from snd_server.workspace_files.discovery import NNEF1_ARCHIVES

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.WORKSPACE_DIAGNOSTIC, _pull)


async def _pull(server: SndServer, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    known = {path_of(each.uri): each for each in params.previous_result_ids}
    session = server.session
    graphs = {os.path.dirname(path): path for path in await session.work(session.all_archives)}
    paths = dict.fromkeys([*await session.work(session.all_files), *graphs, *known])
    reports: list[_Report] = []

    def send() -> None:
        if params.partial_result_token is not None and reports:
            partial = types.WorkspaceDiagnosticReportPartialResult(list(reports))
            server.progress(types.ProgressParams(params.partial_result_token, partial))
            reports.clear()

    with progress(server, params.work_done_token, "Checking") as shown:
        for done, path in enumerate(paths, 1):
            try:
                report = await _report(server, path, known.get(path), graphs.get(path))
            except Exception as error:  # any failure must affect this file only
                server.fault(f"{types.WORKSPACE_DIAGNOSTIC} of {path}", error)
                continue
            if report is not None:
                reports.append(report)
            shown.report(done, len(paths), "files")
            if len(reports) >= MOST_REPORTS_TOGETHER:
                send()
        send()
    return types.WorkspaceDiagnosticReport(reports)


async def _report(
    server: SndServer, path: str, known: types.PreviousResultId | None, graph: str | None
) -> _Report | None:
    """Return the diagnostics of a file; None if there is no such file, and the client knows of none.

    An archive has the diagnostics of its ``graph``, at its beginning: no client can show a place in it.
    """
    uri = server.session.documents.uri(path) if known is None else known.uri
    asked = path if graph is None else graph
    try:
        if graph is None and path.endswith(NNEF1_ARCHIVES):
            raise UnknownDocument(path)
        version, items = await server.session.ask(asked, wrong_with(server, asked), urgency=Urgency.BACKGROUND)
        if graph is not None:
            items = [_of_archive(os.path.basename(graph), each) for each in items]
    except UnknownDocument:
        if known is None:
            return None
        version, items = None, []
    now = result_id(items)
    if known is not None and known.value == now:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, now, version=version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri, items, version=version, result_id=now)


def _of_archive(name: str, diagnostic: types.Diagnostic) -> types.Diagnostic:
    """Return a diagnostic of a member of an archive, with its place in words."""
    place, start = diagnostic.range.start, types.Position(0, 0)
    message = f"{name}:{place.line + 1}:{place.character + 1}: {diagnostic.message}"
    return attrs.evolve(diagnostic, range=types.Range(start, start), message=message, related_information=None)
