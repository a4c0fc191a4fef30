"""A graph of one invocation of a fragment, which a sample of the fragment runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Problem, Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import ElaborationContext, FragmentInvocation, Frame, NamesOfFile
from snd_analysis.nnef1.elaborate.elaboration import SPECIAL, FragmentsOfFile, declare_output
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.operators import Operators
from snd_analysis.nnef1.elaborate.tensor_files import TensorFiles
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, ItemList, KnownItems, has_unknown
from snd_analysis.nnef1.limits import MOST_KNOWN_ITEMS
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic.integers import constant


class GivenTensor(Struct, frozen=True):
    """A tensor that is an argument: it becomes an input of the graph."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    items: tuple[ElaboratedValue, ...] = ()
    """All items, if they are written out."""


ArgumentValue: TypeAlias = "ElaboratedValue | GivenTensor | tuple[GivenTensor, ...]"


class GivenArgument(Struct, frozen=True):
    """An argument of the invocation. Spans are its own."""

    name: nodes.Identifier | None
    span: Span
    value: ArgumentValue
    parameter: Span
    """Span of the parameter, from the start of the fragment."""


class FragmentGraph(Struct, frozen=True, eq=False):
    """The elaborated graph of one invocation of a fragment."""

    definition: flat_nodes.Definition | None
    """The graph, whose statements begin where they stand in the file; None if it has none."""
    is_whole: bool
    """True if all results are known. Otherwise the reason is reported, at the latest by composing."""
    own_problems: tuple[Problem, ...]
    """Problems of the invocation itself. Their spans have the origin of the invocation's spans."""
    problems: tuple[Problem, ...]
    """Problems inside fragments, at places of the file."""
    chains: Mapping[flat_nodes.Node, tuple[FragmentInvocation, ...]]
    """Invocations inside the fragment that led to a statement, keyed by the statement."""


def fragment_graph(
    of_file: FragmentsOfFile,
    operators: Operators,
    files: TensorFiles,
    name: str,
    invocation: nodes.Call,
    arguments: Sequence[GivenArgument],
) -> FragmentGraph:
    """Return a graph of that name with an input for each tensor that is given, which invokes a fragment once."""
    names = NamesOfFile(of_file.fragments, (), {}, (), of_file.unreadable, frozenset())
    context = ElaborationContext(of_file.dialect, operators, files, names)
    record = context.begin_record()
    fragment = of_file.fragments[invocation.function.text]
    head, start = fragment.head, fragment.start
    results = [each.name for each in head.results]
    frame = Frame({}, results={each.text: each.text for each in results})
    evaluator = BodyEvaluator(context, frame, SPECIAL)
    order: list[str] = []
    values = [Given(_value(context, start, each, order), each.span) for each in arguments]
    target = results[0] if len(results) == 1 else nodes.Tuple(head.start, head.end, tuple(results))
    frame.making = results[0].text if results else ""
    evaluator.invoke_with(invocation, target, values)
    frame.base = start
    found = [frame.names.get(each.text) for each in results]
    for result, value in zip(head.results, found, strict=True):
        if value is not None and not has_unknown(value):
            declare_output(context, frame, result, value)
    span, place = Span(start, fragment.end), head.name.span.shifted(start)
    return FragmentGraph(
        flat_graph.definition(record.entries, name, span, place, order) if record.entries else None,
        all(value is not None and not has_unknown(value) for value in found),
        tuple(problem for problem, is_own in record.problems if is_own),
        tuple(replace(problem, notes=problem.notes[:-1]) for problem, is_own in record.problems if not is_own),
        {node: chain[1:] for node, chain in record.chains},
    )


def _value(context: ElaborationContext, start: int, given: GivenArgument, order: list[str]) -> ElaboratedValue:
    match given.value:
        case GivenTensor() as tensor:
            return _input(context, start, given, tensor, order)
        case tuple() as tensors:
            return ItemList(tuple(_input(context, start, given, each, order) for each in tensors))
        case value:
            return value


def _input(
    context: ElaborationContext, start: int, given: GivenArgument, tensor: GivenTensor, order: list[str]
) -> GraphTensor:
    name = context.graph.unused_name(tensor.name)
    order.append(name)
    shape = tuple(map(constant, tensor.shape))
    context.graph.declare("input", start, given.parameter, name, tensor.dtype, shape)
    is_known = tensor.dtype in ("int", "bool") and len(tensor.items) == prod(tensor.shape) <= MOST_KNOWN_ITEMS
    known = KnownItems(tensor.shape, tensor.items) if is_known else None
    return GraphTensor(name, Tensor(name, tensor.dtype, shape, TensorKind.INPUT), known)
