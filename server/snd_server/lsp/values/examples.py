"""Invocations that explain definitions: the chosen arguments for graphs, their first samples for operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.ide import Example, example_of, first_sample, run_of
from snd_analysis.ide.evaluation import KnownSample
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_server.lsp.values.shown_values import ShownGraph
from snd_server.running.arguments import ArgumentError, parse_arguments

if TYPE_CHECKING:
    from snd_runtime.samples import GraphTrace
    from snd_server.lsp.values.evaluation import Evaluations


def example(evaluations: Evaluations, snapshot: Snapshot, name: OperatorName) -> Example | None:
    """Return an invocation that binds a definition; None if none is known."""
    graphs = evaluations.graphs(snapshot, name.path)
    graph = next((each for each in graphs if each.graph.name.name == name.name), None)
    if graph is None:
        return first_sample(snapshot, name)
    return example_of(graph.choice) if isinstance(graph.choice, KnownSample) else _run(snapshot, name, graph)


def _run(snapshot: Snapshot, name: OperatorName, graph: ShownGraph) -> Example | None:
    """Return the last run, if it is one of the current texts."""
    trace: GraphTrace | None = graph.value.outcome
    template = snapshot.template(name)
    if trace is None or template is None or not graph.value.settled or isinstance(graph.choice, KnownSample):
        return None
    try:
        given = parse_arguments(template, graph.choice.attributes, (), graph.choice.types)
    except ArgumentError:
        return None
    return run_of(snapshot, name, given.attributes, trace.dtypes, trace.shapes)
