"""``snd/dataFlow``: which cells a cell of a tensor reads, or is read for. docs/lsp.md describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.ide import definition_at
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.values.asked_graph import graph_name
from snd_server.lsp.wire.parameters import demand_alone, document_path, place, text
from snd_server.running.arguments import ArgumentError, among
from snd_server.running.data_flow import flow_content, flow_in, middle_cell, sampled

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

DATA_FLOW = "snd/dataFlow"


def register(server: SndServer) -> None:
    """Register the handler of this module."""
    server.answer(DATA_FLOW, _data_flow)


async def _data_flow(session: ClientSession, params: Any) -> dict[str, Any]:
    path, position = document_path(params), place(params, "position")
    wanted, cell = text(params, "definition"), text(params, "cell")
    demand_alone(params, "definition", ("position",))

    def answer(snapshot: Snapshot, question: Question) -> dict[str, Any]:
        try:
            return _content(snapshot, path, wanted or _name_at(session, snapshot, path, position), cell)
        except ArgumentError as problem:
            raise JsonRpcInvalidParams(str(problem)) from None

    return await session.ask(path, answer, if_unchanged=True)


def _name_at(session: ClientSession, snapshot: Snapshot, path: str, position: types.Position | None) -> str | None:
    if position is None:
        return None
    offset = session.converter.offset(snapshot.source(path), position)
    found = definition_at(snapshot.tree(path), offset)
    return None if found is None else found[1].name.text


def _content(snapshot: Snapshot, path: str, wanted: str | None, cell: str | None) -> dict[str, Any]:
    known = list(snapshot.definitions(path))
    if wanted is not None and wanted not in known:
        raise ArgumentError(f"there is no '{wanted}' in this document; {among(wanted, known)}")
    template = snapshot.template(OperatorName(path, wanted or graph_name(snapshot, path, None)))
    assert template is not None
    if template.errors:
        raise ArgumentError(f"there are mistakes in '{template.shown}'")
    example = sampled(snapshot, template)
    if example is None:
        raise ArgumentError(f"'{template.shown}' has no sample that gives its sizes: write one, as in '# >>> …'")
    flow = flow_in(example.specialization, cell or middle_cell(example.specialization))
    return {"definition": template.name.name, "sizes": example.phrase, **flow_content(flow)}
