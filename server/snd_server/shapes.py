"""One run of ``snd shapes``: compose a graph, show what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snd_analysis.compose.decomposition import decompose
from snd_analysis.compose.unit import Member, Unit
from snd_analysis.diagnostics import Diagnostic, Severity
from snd_analysis.names.symbols import OperatorName
from snd_analysis.syntax import nodes
from snd_analysis.syntax.chunks import parse_file
from snd_analysis.values import NULL, UNDEFINED, EvaluationError, Pack, Value, dtype_of, evaluate
from snd_analysis.workspace import Snapshot
from snd_server.checking import Checker
from snd_server.config import Configurations
from snd_server.render.shapes import ComposedGraph, shapes_json, shapes_table
from snd_server.report import Report
from snd_server.selection import RuleSettings

_TYPES = ("int", "real", "bool", "str")


class ShapesError(Exception):
    """The command line asks for what there is not."""


@dataclass(frozen=True, slots=True)
class ShapesRequest:
    """What is asked for."""

    path: str
    graph: str | None
    attributes: tuple[str, ...]
    decompose: str
    format: str
    config: str | None


def run_shapes(request: ShapesRequest) -> tuple[str, int]:
    """What is to be printed, and the exit status. Raises ShapesError and ConfigError."""
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot = checker.snapshot(request.path)
    if snapshot.file(request.path) is None:
        raise ShapesError(f"there is no file {request.path}")
    name = OperatorName(request.path, _graph_name(snapshot, request))
    unit = snapshot.unit(name)
    assert unit is not None
    attributes, dtypes = _given(unit, request.attributes)
    composition = snapshot.compose(name, attributes, dtypes)
    diagnostics = list(checker.check(request.path))
    places = {(each.rule, each.location) for each in diagnostics}
    failures = checker.select(request.path, snapshot.composing_diagnostics(request.path, composition))
    diagnostics += [each for each in failures if (each.rule, each.location) not in places]
    graph = composition.graph
    if graph is not None:
        graph = decompose(graph, _choice(request.decompose, snapshot), request.path)
    report = Report((request.path,), tuple(diagnostics), checker.source)
    starts = {(request.path, each): found.start for each, found in snapshot.definitions(request.path).items()}
    composed = ComposedGraph(name.name, request.path, graph, composition.attributes, report, checker.source, starts)
    output = shapes_json(composed) if request.format == "json" else shapes_table(composed)
    return output, 1 if any(_is_error(each) for each in diagnostics) else 0


def _is_error(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is Severity.ERROR


def _graph_name(snapshot: Snapshot, request: ShapesRequest) -> str:
    graphs = [name for name, found in snapshot.definitions(request.path).items() if found.definition.kind == "graph"]
    if not graphs:
        raise ShapesError(f"there is no graph in {request.path}")
    if request.graph is not None and request.graph not in graphs:
        known = ", ".join(f"'{name}'" for name in graphs)
        raise ShapesError(f"there is no graph '{request.graph}' in {request.path}, only {known}")
    return request.graph or graphs[0]


def _choice(text: str, snapshot: Snapshot) -> Callable[[OperatorName], bool]:
    if text in ("all", "none"):
        return lambda name: text == "all"
    wanted = frozenset(part.strip() for part in text.split(","))

    def chosen(name: OperatorName) -> bool:
        module = name.path.rpartition(":")[2].rpartition("/")[2].removesuffix(".sknd")
        return name.name in wanted or f"{module}.{name.name}" in wanted

    return chosen


# ---- attributes ------------------------------------------------------------------------------------------------------
def _given(unit: Unit, written: tuple[str, ...]) -> tuple[dict[str, Value], dict[str, str]]:
    attributes: dict[str, Value] = {}
    dtypes: dict[str, str] = {}
    members = {member.name: member for member in unit.attributes}
    generics = {generic.name.text for generic in unit.generics}
    for item in written:
        name, equals, text = item.partition("=")
        name, text = name.strip(), text.strip()
        if not equals:
            raise ShapesError(f"--attrib {item}: write NAME=VALUE")
        if name in generics and text in _TYPES:
            dtypes[name] = text
        elif name in members:
            attributes[name] = _value(members[name], text)
        else:
            known = ", ".join(f"'{each}'" for each in (*members, *generics)) or "none"
            raise ShapesError(f"the graph '{unit.name.name}' has no attribute '{name}'; it has {known}")
    return attributes, dtypes


def _value(member: Member, text: str) -> Value:
    """A value as it is written on the command line; a word without quotes is a string."""
    wanted = member.node.type.text
    if wanted == "str" and member.node.pack is None and text[:1] not in ("'", '"'):
        return text
    value = _evaluated(text)
    if value is NULL or value is UNDEFINED or value is None:
        raise ShapesError(f"--attrib {member.name}={text}: this is no value of type '{wanted}'")
    found = value.dtype if isinstance(value, Pack) else dtype_of(value)
    if isinstance(value, Pack) and member.node.pack is None:
        raise ShapesError(f"--attrib {member.name}={text}: '{member.name}' is a single value, not a pack")
    if wanted in _TYPES and found not in (wanted, None):
        raise ShapesError(f"--attrib {member.name}={text}: '{member.name}' is of type '{wanted}', not '{found}'")
    return value


class _NoNames:
    """The environment of a value on the command line."""

    composing = True

    def lookup(self, node: nodes.Qualified) -> Value:
        return UNDEFINED

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        return None


def _evaluated(text: str) -> Value | None:
    tree = parse_file(f"operator o {{ @using {{ v = {text}; }} }}")
    if any(tree.problems):
        return None
    for _, definition in tree.definitions:
        for block in definition.blocks:
            if isinstance(block, nodes.Block):
                for entry in block.entries:
                    if isinstance(entry.statement, nodes.Using):
                        try:
                            return evaluate(entry.statement.value, _NoNames())
                        except EvaluationError as error:
                            raise ShapesError(f"--attrib …={text}: {error.message}") from None
    return None
