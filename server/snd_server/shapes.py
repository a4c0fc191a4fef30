"""One run of ``snd shapes``: compose a graph, show what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import click

from snd_analysis.check import main_graphs
from snd_analysis.compose.decomposition import MOST_OPERATIONS, decompose, flat_size
from snd_analysis.compose.entry import Composition
from snd_analysis.compose.session import Session
from snd_analysis.compose.unit import Unit
from snd_analysis.diagnostics import Diagnostic, Severity
from snd_analysis.model import Graph
from snd_analysis.names.symbols import OperatorName
from snd_analysis.reached import reached_diagnostics
from snd_analysis.rules.suppressions import UNUSED_SUPPRESSION
from snd_analysis.suppression import apply
from snd_analysis.workspace import Snapshot
from snd_server.checking import Checker
from snd_server.config import Configurations
from snd_server.given import Misgiven, among, given_values
from snd_server.render.composed import ComposedGraph, operator_text
from snd_server.render.shapes import shapes_table
from snd_server.render.shapes_json import shapes_json
from snd_server.report import Paint, Report, plain
from snd_server.selection import RuleSettings


class ShapesError(Exception):
    """The command line asks for what there is not."""


@dataclass(frozen=True, slots=True)
class ShapesRequest:
    """What is asked for."""

    path: str
    graph: str | None
    attributes: tuple[str, ...]
    inputs: tuple[str, ...]
    decompose: str
    format: str
    config: str | None
    paint: Paint = plain
    width: int | None = None
    """Columns of the terminal, if the tables go to one."""


def run_shapes(request: ShapesRequest) -> tuple[str, int]:
    """What is to be printed, and the exit status. Raises ShapesError and ConfigError."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ShapesError(f"there is no file {request.path}")
    name = OperatorName(request.path, _graph_name(snapshot, request))
    unit = snapshot.unit(name)
    assert unit is not None
    chosen = _choice(request.decompose, snapshot, unit)
    try:
        given = given_values(unit, request.attributes, request.inputs)
    except Misgiven as problem:
        raise ShapesError(str(problem)) from None
    composition = snapshot.compose(name, given.attributes, given.dtypes, given.inputs)
    _demand_fitting(composition, request)
    diagnostics = _diagnostics(checker, snapshot, name, composition)
    graph = composition.graph
    if graph is not None:
        _say_if_too_large(graph, flat_size(graph, chosen))
        graph = decompose(graph, chosen, request.path)
    report = Report((request.path,), tuple(diagnostics), checker.source, paint=request.paint)
    if request.width is not None:
        report = replace(report, width=request.width)
    starts = {(request.path, each): found.start for each, found in snapshot.definitions(request.path).items()}
    composed = ComposedGraph(name.name, request.path, graph, composition.attributes, report, checker.source, starts)
    output = shapes_json(composed) if request.format == "json" else shapes_table(composed, request.width)
    return output, 1 if any(each.severity is Severity.ERROR for each in diagnostics) else 0


def _say_if_too_large(graph: Graph, size: int) -> None:
    if size > MOST_OPERATIONS:
        message = (
            f"snd: '{graph.name}' comes to {size:,} operations. Only {MOST_OPERATIONS:,} are shown, and operators that "
            "would lead beyond as a whole; --decompose NAME,… chooses which to look into"
        )
        click.echo(message, err=True)


def _graph_name(snapshot: Snapshot, request: ShapesRequest) -> str:
    graphs = [name for name, found in snapshot.definitions(request.path).items() if found.definition.kind == "graph"]
    if not graphs:
        raise ShapesError(f"there is no graph in {request.path}")
    if request.graph is None:
        return main_graphs(snapshot, request.path)[0].name.text
    if request.graph not in graphs:
        known = ", ".join(f"'{name}'" for name in graphs)
        raise ShapesError(f"there is no graph '{request.graph}' in {request.path}, only {known}")
    return request.graph


def _demand_fitting(composition: Composition, request: ShapesRequest) -> None:
    """What is given must fit the declarations of the graph, other values given, and defaults."""
    given = {
        item.partition("=")[0].strip(): f"{option} {item}"
        for option, items in (("--attrib", request.attributes), ("--input", request.inputs))
        for item in items
    }
    for failure in composition.failures:
        written = [given[name] for name in failure.responsible if name in given]
        if written:
            raise ShapesError(f"{written[0]}: {failure.message}")


def _diagnostics(
    checker: Checker, snapshot: Snapshot, name: OperatorName, composition: Composition
) -> list[Diagnostic]:
    """What is wrong with the graph and all that it reaches, where no comment or setting suppresses it."""
    found: list[Diagnostic] = []
    for path, diagnostics in reached_diagnostics(snapshot, name, composition).items():
        kept = apply(diagnostics, snapshot.source(path), snapshot.comments(path))
        # Which comments suppress nothing is known only of whole files.
        about = {each.location for each in kept if each.rule == UNUSED_SUPPRESSION.name}
        found += [each for each in checker.select(path, kept) if each.location not in about]
    return found


# ---- decomposition ---------------------------------------------------------------------------------------------------
def _choice(text: str, snapshot: Snapshot, unit: Unit) -> Callable[[OperatorName], bool]:
    if text in ("all", "none"):
        return lambda name: text == "all"
    wanted = {part.strip() for part in text.split(",")} - {""}
    reached = {each.name for each in Session(snapshot).reached(unit)} - {unit.name}
    names = {name: (name.name, operator_text(name, "")) for name in reached}
    _demand_reached(unit, wanted, sorted({each for both in names.values() for each in both}))
    return lambda name: not wanted.isdisjoint(names.get(name, ()))


def _demand_reached(unit: Unit, wanted: set[str], known: Sequence[str]) -> None:
    for name in sorted(wanted - set(known)):
        message = f"--decompose {name}: the graph '{unit.name.name}' invokes no operator '{name}'"
        close = among(name, known)
        raise ShapesError(f"{message}; {close}" if close.startswith("did") else message)
