"""One run of ``snd shapes``: compose a graph, show its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Severity
from snd_analysis.compose import MOST_OPERATIONS, Session, Template, decompose, flat_size
from snd_analysis.model import Graph
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import UNDEFINED
from snd_analysis.workspace import Snapshot
from snd_server.checking.checker import Checker
from snd_server.checking.plain_report import plain_report
from snd_server.console.colours import Paint, plain
from snd_server.console.terminal import say
from snd_server.render.composed import ComposedGraph, operator_text
from snd_server.render.shapes import shapes_table
from snd_server.render.shapes_json import shapes_json
from snd_server.running.arguments import among
from snd_server.running.chosen_graph import ShapesError, chosen_graph, compose_chosen
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings


class ShapesRequest(Struct, frozen=True):
    """The parsed command line."""

    path: str
    graph: str | None
    attributes: tuple[str, ...]
    types: tuple[str, ...]
    inputs: tuple[str, ...]
    decompose: str
    format: str
    config: str | None
    paint: Paint = plain
    width: int | None = None
    """Columns of the terminal, if the tables go to one."""


def run_shapes(request: ShapesRequest) -> tuple[str, int]:
    """Return the text to print, and the exit status. Raise ShapesError and ConfigError."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot, name, template = chosen_graph(checker, request.path, request.graph)
    chosen = _choice(request.decompose, snapshot, template)
    composition, diagnostics = compose_chosen(
        checker, snapshot, template, request.attributes, request.inputs, request.types
    )
    graph = composition.graph
    if graph is not None:
        _say_if_too_large(graph, flat_size(graph, chosen))
        graph = decompose(graph, chosen, request.path)
    report = plain_report(checker, request.path, diagnostics, request.paint)
    if request.width is not None:
        report = replace(report, width=request.width)
    starts = {(request.path, each): found.start for each, found in snapshot.definitions(request.path).items()}
    composed = ComposedGraph(name.name, request.path, graph, composition.attributes, report, checker.source, starts)
    output = shapes_json(composed) if request.format == "json" else shapes_table(composed, request.width)
    if any(each.severity is Severity.ERROR for each in diagnostics):
        return output, 1
    unknown = [] if composition.graph is None else _unknown_outputs(composition.graph)
    if unknown:
        _say_unknown(name.name, unknown)
    return output, 1 if unknown else 0


def _unknown_outputs(graph: Graph) -> list[str]:
    return [f"'{name}'" for name, value in graph.outputs.items() if value is UNDEFINED]


def _say_unknown(graph: str, outputs: Sequence[str]) -> None:
    """Say that outputs could not be composed, though no mistake is shown: as where a comment hides it."""
    message = f"snd: '{graph}' could not be composed: nothing is known of {', '.join(outputs)}"
    say(f"{message}; its mistakes are hidden by comments or settings", err=True)


def _say_if_too_large(graph: Graph, size: int) -> None:
    if size > MOST_OPERATIONS:
        message = (
            f"snd: '{graph.name}' has {size:,} operations. Only {MOST_OPERATIONS:,} are shown, and operators that "
            "would lead beyond as a whole; --decompose NAME,… chooses which to look into"
        )
        say(message, err=True)


# ---- decomposition ---------------------------------------------------------------------------------------------------
def _choice(text: str, snapshot: Snapshot, template: Template) -> Callable[[OperatorName], bool]:
    if text in ("all", "none"):
        return lambda name: text == "all"
    wanted = {part.strip() for part in text.split(",")} - {""}
    reached = {each.name for each in Session(snapshot).reached(template)} - {template.name}
    names = {name: (name.name, operator_text(name, "")) for name in reached}
    _demand_reached(template, wanted, sorted({each for both in names.values() for each in both}))
    return lambda name: not wanted.isdisjoint(names.get(name, ()))


def _demand_reached(template: Template, wanted: set[str], known: Sequence[str]) -> None:
    for name in sorted(wanted - set(known)):
        message = f"--decompose {name}: the graph '{template.name.name}' invokes no operator '{name}'"
        close = among(name, known)
        raise ShapesError(f"{message}; {close}" if close.startswith("did") else message)
