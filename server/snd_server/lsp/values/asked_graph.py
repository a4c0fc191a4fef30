"""The graph of a request, and its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.ide.evaluation import GraphName, graphs_in
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.freshness import ValueKey
from snd_server.lsp.values.graph_choices import Choice, GivenInputs
from snd_server.running.arguments import ArgumentError, among

if TYPE_CHECKING:
    from snd_server.lsp.values.evaluation import Evaluations


def graph_name(snapshot: Snapshot, path: str, wanted: str | None) -> str:
    """Return the name that is wanted, else that of the main graph. Raise ArgumentError if there is none."""
    if wanted is None:
        mains = snapshot.main_graphs(path)
        if not mains:
            raise ArgumentError("there is no graph in this document")
        return mains[0].name.text
    graphs = [name for name, found in snapshot.definitions(path).items() if found.definition.kind == "graph"]
    if wanted not in graphs:
        raise ArgumentError(f"there is no graph '{wanted}' in this document; {among(wanted, graphs)}")
    return wanted


def graph_choice(
    evaluations: Evaluations, snapshot: Snapshot, path: str, wanted: str | None
) -> tuple[GraphName, Choice]:
    """Return the graph, and the source of the values beside its statements. Raise ArgumentError if there is none."""
    name = GraphName(graph_name(snapshot, path, wanted))
    known = next((graph for graph in graphs_in(snapshot, path) if graph.name == name), None)
    return name, GivenInputs() if known is None else evaluations.choices.of(ValueKey(path, name), known)
