"""``snd/graphView``: the drawing of a graph. docs/lsp.md describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.base import Diagnostic, Location, Severity
from snd_analysis.ide.graph_view import graph_content, graph_view
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, reached_diagnostics
from snd_server.checking.report import Report
from snd_server.lsp.diagnostics.diagnostics import reported
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.values.asked_graph import graph_name
from snd_server.lsp.wire.parameters import document_path, text, texts
from snd_server.lsp.wire.uris import uri_of
from snd_server.render.reports.records import record
from snd_server.running.arguments import ArgumentError, parse_arguments

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

GRAPH_VIEW = "snd/graphView"


def register(server: SndServer) -> None:
    """Register the handler of this module."""
    server.answer(GRAPH_VIEW, _graph_view)


async def _graph_view(session: ClientSession, params: Any) -> dict[str, Any]:
    path = document_path(params)
    wanted, inputs = text(params, "graph"), texts(params, "inputs")
    attributes = (*texts(params, "attributes"), *texts(params, "types"))

    def answer(snapshot: Snapshot, question: Question) -> dict[str, Any]:
        try:
            return _content(session, snapshot, path, wanted, attributes, inputs)
        except ArgumentError as problem:
            raise JsonRpcInvalidParams(str(problem)) from None

    return await session.ask(path, answer, if_unchanged=True)


def _content(
    session: ClientSession,
    snapshot: Snapshot,
    path: str,
    wanted: str | None,
    attributes: tuple[str, ...],
    inputs: tuple[str, ...],
) -> dict[str, Any]:
    name = OperatorName(path, graph_name(snapshot, path, wanted))
    template = snapshot.template(name)
    assert template is not None
    given = parse_arguments(template, attributes, inputs)
    composition = snapshot.compose(name, given.attributes, given.dtypes, given.inputs)
    found: list[Diagnostic] = []
    for each, diagnostics in reached_diagnostics(snapshot, name, composition).items():
        found += reported(session, snapshot, each, diagnostics)
    shown = [each for each in found if each.severity is not Severity.HINT]
    report = Report((path,), tuple(shown), snapshot.source)
    converter = session.converter

    def locate(location: Location) -> dict[str, Any]:
        range_ = converter.range(snapshot.source(location.path), location.span)
        ends = {"start": range_.start, "end": range_.end}
        # The client knows its documents by the URIs that it opened them with.
        document = session.opened(location.path)
        return {
            "uri": document.uri if document is not None else uri_of(location.path),
            "range": {end: {"line": at.line, "character": at.character} for end, at in ends.items()},
        }

    view = graph_view(snapshot, name, composition.graph)
    return graph_content(view, composition.attributes, locate, [record(each, report) for each in shown])
