"""A graph of a file, composed with attributes and inputs from a command line."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.base import Diagnostic
from snd_analysis.compose import Composition, Template
from snd_analysis.skriptnd.lints import UNUSED_SUPPRESSION, apply_suppressions
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot, reached_diagnostics
from snd_server.checking.checker import Checker
from snd_server.running.arguments import ArgumentError, parse_arguments
from snd_server.workspace_files.model_folder import no_file, no_graph


class ShapesError(Exception):
    """The command line asks for a missing subject."""


def chosen_graph(checker: Checker, path: str, graph: str | None) -> tuple[Snapshot, OperatorName, Template]:
    """Return the graph of that name, or the main graph of the file. Raise ShapesError if there is none."""
    snapshot = checker.snapshot(path)
    if snapshot.file(path) is None:
        raise ShapesError(no_file(path))
    name = OperatorName(path, _graph_name(snapshot, path, graph))
    template = snapshot.template(name)
    assert template is not None
    return snapshot, name, template


def compose_chosen(
    checker: Checker,
    snapshot: Snapshot,
    template: Template,
    attributes: Sequence[str],
    inputs: Sequence[str],
    types: Sequence[str] = (),
) -> tuple[Composition, list[Diagnostic]]:
    """Return the graph composed with ``NAME=VALUE`` and ``NAME=SHAPE``, and the problems of all that it reaches.

    Raise ShapesError for values that the graph does not ask for, or that do not fit.
    """
    try:
        given = parse_arguments(template, attributes, inputs, types)
    except ArgumentError as problem:
        raise ShapesError(str(problem)) from None
    composition = snapshot.compose(template.name, given.attributes, given.dtypes, given.inputs)
    _demand_fitting(composition, attributes, inputs)
    return composition, diagnostics_of(checker, snapshot, template.name, composition)


def _graph_name(snapshot: Snapshot, path: str, graph: str | None) -> str:
    graphs = [name for name, found in snapshot.definitions(path).items() if found.definition.kind == "graph"]
    if not graphs:
        raise ShapesError(no_graph(snapshot, path))
    if graph is None:
        return snapshot.main_graphs(path)[0].name.text
    if graph not in graphs:
        known = ", ".join(f"'{name}'" for name in graphs)
        raise ShapesError(f"there is no graph '{graph}' in {path}, only {known}")
    return graph


def _demand_fitting(composition: Composition, attributes: Sequence[str], inputs: Sequence[str]) -> None:
    """Demand that given values fit the declarations of the graph, each other, and defaults."""
    given = {
        item.partition("=")[0].strip(): f"{option} {item}"
        for option, items in (("--attrib", attributes), ("--input", inputs))
        for item in items
    }
    for failure in composition.failures:
        written = [given[name] for name in failure.responsible if name in given]
        if written:
            raise ShapesError(f"{written[0]}: {failure.message}")


def diagnostics_of(
    checker: Checker, snapshot: Snapshot, name: OperatorName, composition: Composition
) -> list[Diagnostic]:
    """Return the unsuppressed problems of the graph and of all that it reaches."""
    found: list[Diagnostic] = []
    for path, diagnostics in reached_diagnostics(snapshot, name, composition).items():
        kept = apply_suppressions(diagnostics, snapshot.source(path), snapshot.comments(path))
        # Unused suppressions are known only for whole files.
        about = {each.location for each in kept if each.rule == UNUSED_SUPPRESSION}
        found += [each for each in checker.select(path, kept) if each.location not in about]
    return found
