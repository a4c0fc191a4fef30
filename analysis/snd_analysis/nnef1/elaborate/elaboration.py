"""A graph of NNEF 1.0 as a graph of SkriptND, found by evaluating what stands in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import BodyValues, Context, Frame, Invocation, StoredVariable
from snd_analysis.nnef1.elaborate.evaluation import Evaluator, names_assigned_in
from snd_analysis.nnef1.elaborate.invocations import materialized
from snd_analysis.nnef1.elaborate.operators import Operators
from snd_analysis.nnef1.elaborate.quantization import apply_quantization
from snd_analysis.nnef1.elaborate.rewriting import REWRITTEN
from snd_analysis.nnef1.elaborate.sources import SOURCES
from snd_analysis.nnef1.elaborate.tensor_files import TensorFiles
from snd_analysis.nnef1.elaborate.values import Items, TensorName, Value
from snd_analysis.nnef1.syntax import Dialect, QuantizationFile, SyntaxTree, dialect_of, nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic.integers import Integer

SPECIAL = {**SOURCES, **REWRITTEN}
"""Operations that are more than an invocation of an operator: their parameters, and what evaluates them."""


class Elaborated(Struct, frozen=True, eq=False):
    """What a file comes to. Spans of problems and variables are places in the file."""

    dialect: Dialect
    definition: flat_nodes.Definition | None
    """The graph; None if there is none that can be read. Its entries begin where their statements stand in the file."""
    problems: tuple[Problem, ...]
    variables: tuple[StoredVariable, ...]
    chains: Mapping[flat_nodes.Node, tuple[Invocation, ...]]
    """By statements of the graph: the invocations of fragments that led to them."""
    values: BodyValues
    """What the names of the graph stand for."""
    bodies: Mapping[str, BodyValues]
    """What the names of fragments stand for, by the names of these."""
    symbols: Mapping[str, Integer]
    quantization_problems: tuple[Problem, ...] = ()
    """What is wrong in the file of quantizations. Their spans are places there."""


def elaborate(
    tree: SyntaxTree, operators: Operators, files: TensorFiles, quantization: QuantizationFile | None = None
) -> Elaborated:
    """Return the graph of a file as a graph of SkriptND, and what is wrong with it. Never fails."""
    items = tree.document.items
    definitions = [item for item in items if isinstance(item, nodes.Definition)]
    fragments: dict[str, nodes.Definition] = {}
    for each in definitions:
        if each.head.kind == "fragment":
            fragments.setdefault(each.head.name.text, each)

    def context() -> Context:
        return Context(dialect_of(tree), operators, files, fragments, [*_symbols(items)], _unreadable(items))

    made, of_quantization = context(), context()
    graph = next((each for each in definitions if each.head.kind == "graph"), None)
    definition, values = None, BodyValues({}, ())
    if graph is not None and graph.body:
        frame, values = _graph(made, graph)
        span = graph.head.name.span.shifted(graph.start)
        if quantization is not None:
            of_quantization.variables = made.variables
            apply_quantization(quantization, made, of_quantization, frame.names, span)
        order = [parameter.name.text for parameter in graph.head.parameters]
        definition = made.graph.definition(graph.head.name.text, Span(graph.start, graph.end), span, order)
    return Elaborated(
        made.dialect,
        definition,
        made.problems,
        tuple(made.variables),
        made.chains,
        values,
        made.bodies,
        made.symbols,
        of_quantization.problems,
    )


def _symbols(items: Sequence[nodes.Item]) -> Iterator[str]:
    for each in items:
        if isinstance(each, nodes.Placed):
            match each.item:
                case nodes.Extension(name=nodes.Identifier(text="tract_symbol"), text=name) if name:
                    yield name


def _unreadable(items: Sequence[nodes.Item]) -> frozenset[str]:
    broken = (each.item for each in items if isinstance(each, nodes.Placed))
    return frozenset(each.name for each in broken if isinstance(each, nodes.ErrorItem) and each.name is not None)


def _graph(context: Context, graph: nodes.Definition) -> tuple[Frame, BodyValues]:
    """Elaborate the body of a graph; return its frame, and what its names stand for."""
    results = {each.name.text: each.name.text for each in graph.head.results}
    frame = Frame({}, results=results, later=names_assigned_in(graph))
    context.parameters = frozenset(each.name.text for each in graph.head.parameters)
    evaluator = Evaluator(context, frame, SPECIAL)
    values = BodyValues({}, evaluator.body(graph.body or ()))
    frame.base = graph.start
    for parameter in graph.head.parameters:
        if parameter.name.text not in frame.names:
            message = f"the graph parameter '{parameter.name.text}' is not the result of an 'external'"
            evaluator.report(rules.OUTPUT_NOT_ASSIGNED, parameter.name, message)
    for result in graph.head.results:
        _output(context, frame, result, evaluator.result(result))
    return frame, values


def _output(context: Context, frame: Frame, result: nodes.Result, value: Value) -> None:
    """Declares an output, and lets it be what the result was assigned, unless that has its name already."""
    span, name = result.name.span, result.name.text
    if isinstance(value, TensorName) and value.known is not None and not value.name:
        value = materialized(context, frame, value, span, result.name)
    if isinstance(value, TensorName) and value.tensor is not None:
        tensor = value.tensor
        if value.name != name:
            name = context.graph.unused_name(name)
            context.graph.assign(frame.base, span, [(name, span)], flat_graph.reference(value.name, span))
        context.graph.declare("output", frame.base, span, name, tensor.dtype or "real", None)
    elif isinstance(value, float):
        name = context.graph.unused_name(name)
        context.graph.assign(frame.base, span, [(name, span)], flat_graph.expression(value, span))
        context.graph.declare("output", frame.base, span, name, "real", None)
    elif isinstance(value, Items):
        message = f"the result '{name}' is an array or tuple, but results of a graph are single tensors"
        context.report(frame, rules.RESULT_COUNT, result.name, message)
