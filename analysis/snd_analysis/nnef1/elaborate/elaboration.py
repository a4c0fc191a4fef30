"""A graph of NNEF 1.0 as a graph of SkriptND, found by evaluating its statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import normpath

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Rule, Span
from snd_analysis.compose import input_extent
from snd_analysis.model import Tensor
from snd_analysis.nnef1.assertions import assertions_of, facts_by_symbol
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import (
    BodyValues,
    ElaborationContext,
    FragmentCall,
    FragmentInvocation,
    Frame,
    NamesOfFile,
    Record,
    StoredVariable,
    SubmodelUse,
    Unproven,
)
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator
from snd_analysis.nnef1.elaborate.extents.unproven import problem_of
from snd_analysis.nnef1.elaborate.invocations import constant_of, materialized
from snd_analysis.nnef1.elaborate.items.item_types import item_type
from snd_analysis.nnef1.elaborate.operators import Operators
from snd_analysis.nnef1.elaborate.other_files import RESOURCES, SUBMODELS, check_submodels
from snd_analysis.nnef1.elaborate.quantization import QuantizedByFragments, apply_quantization, quantized_name
from snd_analysis.nnef1.elaborate.quantized_operations import quantized_types
from snd_analysis.nnef1.elaborate.rewriting import REWRITTEN
from snd_analysis.nnef1.elaborate.sources import SOURCES
from snd_analysis.nnef1.elaborate.steps import (
    ElaboratedEntry,
    Walk,
    calls_of,
    chains_of,
    flat_entries,
    problems_of,
    submodels_of,
    unproven_of,
    variables_of,
    with_same_nodes,
)
from snd_analysis.nnef1.elaborate.streams.properties import pulsed_model
from snd_analysis.nnef1.elaborate.streams.pulses import PULSES
from snd_analysis.nnef1.elaborate.streams.pulsing import streamed
from snd_analysis.nnef1.elaborate.tensor_files import TensorFiles
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    PulseOf,
    has_streams,
    has_unknown,
)
from snd_analysis.nnef1.limits import MOST_SUGGESTIONS
from snd_analysis.nnef1.names import assigned_names
from snd_analysis.nnef1.syntax import Dialect, Nnef1SyntaxTree, QuantizationFile, nodes
from snd_analysis.skriptnd.syntax import close_matches
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic.integers import Integer, Truth, floor_divide


class FragmentsOfFile(Struct, frozen=True, eq=False):
    """The parts of a file that an invocation of a fragment depends on."""

    dialect: Dialect
    fragments: Mapping[str, nodes.Definition]
    unreadable: frozenset[str]
    """The fragments whose heads can't be read."""


SPECIAL = {**SOURCES, **REWRITTEN, **SUBMODELS, **RESOURCES, **PULSES}
"""Operations beyond a plain invocation of an operator: their parameters, and their evaluators."""


class Elaborated(Struct, frozen=True, eq=False):
    """The result of elaborating a file. Spans of problems and variables are places in the file."""

    dialect: Dialect
    definition: flat_nodes.Definition | None
    """The graph; None if there is none that can be read. Its entries begin where their statements stand in the file."""
    problems: tuple[Problem, ...]
    variables: tuple[StoredVariable, ...]
    chains: Mapping[flat_nodes.Node, tuple[FragmentInvocation, ...]]
    """Invocations of fragments that led to a statement, keyed by the statement of the graph."""
    values: BodyValues
    """Values of the names in the graph."""
    bodies: Mapping[str, BodyValues]
    """Values of the names in fragments, by name of the fragment."""
    symbols: Mapping[str, Integer]
    extents: Mapping[str, Integer] = {}
    """Values of the extents of the graph about which more than the name is known."""
    calls: tuple[FragmentCall, ...] = ()
    """The invocations of fragments by the graph, in order."""
    quantization_problems: tuple[Problem, ...] = ()
    """Problems in the file of quantizations. Their spans are places there."""
    steps: tuple[ElaboratedEntry, ...] = ()
    """The steps of the entries of the graph, followed by the step of its head."""
    fragments: Mapping[str, nodes.Definition] = {}
    environment: tuple[object, ...] = ()
    """Inputs that all steps depend on."""
    labels: tuple[str, ...] = ()
    """Labels of all tensor files that the elaboration asked for."""
    unknown_results: tuple[str, ...] = ()
    """Results of the graph whose value is unknown. The definition leaves them out."""
    quantized_by_fragments: QuantizedByFragments = QuantizedByFragments()


def elaborate(
    tree: Nnef1SyntaxTree,
    operators: Operators,
    files: TensorFiles,
    quantization: QuantizationFile | None = None,
    before: Elaborated | None = None,
    pulse: PulseOf | None = None,
) -> Elaborated:
    """Return the graph of a file as a graph of SkriptND, with all problems found. Never fails.

    ``before`` is the result for an earlier state of the file; its unchanged entries are reused. With a ``pulse``, the
    graph sees a symbol pulse by pulse.
    """
    items = tree.document.items
    definitions = [item for item in items if isinstance(item, nodes.Definition)]
    fragments = _fragments(definitions)
    graph = next((each for each in definitions if each.head.kind == "graph"), None)
    assigned = Counter(name for entry in (graph.body if graph else None) or () for name in assigned_names(entry))
    asserted = facts_by_symbol(assertions_of(items)) if tree.dialect is Dialect.TRACT else {}
    symbols, unreadable = (*_symbols(items),), _unreadable(items)
    quantized = frozenset(quantized_name(line) for _, line in (() if quantization is None else quantization.lines))

    types = quantized_types(quantization) if tree.dialect is Dialect.TRACT else {}
    pulsed = pulsed_model(fragments)
    names_of_file = NamesOfFile(
        fragments, symbols, asserted, assigned.keys(), unreadable, quantized, types, pulsed, _header_end(items)
    )
    context = ElaborationContext(tree.dialect, operators, files, names_of_file, pulse)
    context.on_streams = None if pulse is None else streamed
    if graph is None or not graph.body:
        return Elaborated(context.dialect, None, (), (), {}, BodyValues({}, ()), {}, context.symbols)
    head = graph.head
    parameters, results = (tuple(each.name.text for each in row) for row in (head.parameters, head.results))
    # A result that is assigned more than once, as tract allows, has the name of its last value.
    context.graph.reserve(frozenset(name for name in results if assigned[name] > 1))
    facts = (*context.symbols.items(), *asserted.items())
    reserved = context.graph.reserved
    environment = (context.dialect, facts, unreadable, quantized, parameters, results, reserved, types, pulsed, pulse)
    if before is not None and before.environment != environment:
        before = None
    steps, names = _steps(context, graph, before)
    of_quantization = ElaborationContext(tree.dialect, operators, files, names_of_file)
    by_fragments = QuantizedByFragments()
    if quantization is not None:
        variables = [*variables_of(steps)]
        span = head.name.span.shifted(graph.start)
        by_fragments = apply_quantization(quantization, context, of_quantization, names, variables, span)
    last = steps[-1]
    if before is not None and before.steps:
        last = replace(last, record=with_same_nodes(before.steps[-1].record, last.record))
    found = _elaborated(
        context, graph, (*steps[:-1], last), environment, of_quantization.record, _header_end(items),
        None if before is None else before.definition,
        tuple(each.name.text for each in head.results if has_unknown(names.get(each.name.text, UNKNOWN))),
    )  # fmt: skip
    return found if quantization is None else replace(found, quantized_by_fragments=by_fragments)


def _fragments(definitions: Iterable[nodes.Item]) -> dict[str, nodes.Definition]:
    """Return the fragments by name; the first of several with one name."""
    found: dict[str, nodes.Definition] = {}
    for each in definitions:
        if isinstance(each, nodes.Definition) and each.head.kind == "fragment":
            found.setdefault(each.head.name.text, each)
    return found


def fragments_of(tree: Nnef1SyntaxTree) -> FragmentsOfFile:
    """Return the dependencies of an invocation of a fragment in its file."""
    items = tree.document.items
    return FragmentsOfFile(tree.dialect, _fragments(items), _unreadable(items))


def resources_in(found: Elaborated) -> frozenset[str]:
    """Return the labels of the JSON files that values are taken from."""
    return frozenset(label for step in found.steps for label, _ in step.record.resources)


def submodels_in(found: Elaborated) -> Sequence[SubmodelUse]:
    """Return the submodels that a graph, its fragments and its submodels name."""
    return [*submodels_of(found.steps)]


def same_fragments(one: FragmentsOfFile, other: FragmentsOfFile) -> bool:
    """Return whether all fragments and their places are unchanged."""
    is_same = one.dialect is other.dialect and one.unreadable == other.unreadable
    return is_same and not [*_changed_fragments(one.fragments, other.fragments)]


def _symbols(items: Sequence[nodes.Item]) -> Iterator[str]:
    for each in items:
        if isinstance(each, nodes.Placed):
            match each.item:
                case nodes.Extension(name=nodes.Identifier(text="tract_symbol"), text=name) if name:
                    yield name


def _unreadable(items: Sequence[nodes.Item]) -> frozenset[str]:
    broken = (each.item for each in items if isinstance(each, nodes.Placed))
    return frozenset(each.name for each in broken if isinstance(each, nodes.ErrorItem) and each.name is not None)


def _steps(
    context: ElaborationContext, graph: nodes.Definition, before: Elaborated | None
) -> tuple[tuple[ElaboratedEntry, ...], Mapping[str, ElaboratedValue]]:
    """Elaborate a graph; return its steps, the last one for its head, and the values of its names."""
    head, earlier = graph.head, () if before is None else before.steps
    results = {each.name.text: each.name.text for each in head.results}
    frame = Frame({}, results=results, body=graph.body or ())
    context.parameters = frozenset(each.name.text for each in head.parameters)
    evaluator = BodyEvaluator(context, frame, SPECIAL)
    changed = _changed_fragments({} if before is None else before.fragments, context.names.fragments)
    body = graph.body or ()
    steps = Walk(context, frame, changed).run(evaluator.entry, body, earlier[:-1])
    last = ElaboratedEntry(nodes.Entry(graph.start, ()), graph.start, {}, context.begin_record())
    frame.base = graph.start
    for parameter in head.parameters:
        if parameter.name.text not in frame.names:
            message = f"the graph parameter '{parameter.name.text}' is not the result of an 'external'"
            if context.dialect is Dialect.TRACT:
                message = f"tract ignores this: {message}"
                evaluator.report(rules.IGNORED_ARGUMENT, parameter.name, message)
            else:
                evaluator.report(rules.OUTPUT_NOT_ASSIGNED, parameter.name, message)
    is_seen = context.pulse is None or has_streams(frame.names.values())
    if context.pulse is not None and not is_seen:
        message = f"no input has an axis of the extent '{context.pulse.symbol}', which is to be seen pulse by pulse"
        evaluator.report(rules.ASSERTION_FAILS, head.name, message)
    for at, result in enumerate(head.results):
        value = evaluator.result(result)
        declare_output(context, frame, result, value)
        delay = _delay(context, value, at)
        if delay is not None and delay[0] > 0:
            items = f"{delay[0]} item{'' if delay[0] == 1 else 's'}"
            message = f"'{result.name.text}' begins after {items} along axis {delay[1]}: these are not of the result"
            evaluator.report(rules.STREAM_DELAY, result.name, message)
    return (*steps, last), frame.names


def _delay(context: ElaborationContext, value: ElaboratedValue, at: int) -> tuple[int, int] | None:
    """Return the number of items before the first one of a result, and their axis; None if it is no stream."""
    stream, pulsed = value.stream if isinstance(value, GraphTensor) else None, context.names.pulsed
    if stream is not None:
        return stream.delay, stream.axis
    if pulsed is not None and at < min(len(pulsed.delays), len(pulsed.output_axes)):
        return pulsed.delays[at], pulsed.output_axes[at]
    return None


def _elaborated(
    context: ElaborationContext,
    graph: nodes.Definition,
    steps: tuple[ElaboratedEntry, ...],
    environment: tuple[object, ...],
    of_quantization: Record,
    header_end: int,
    before: flat_nodes.Definition | None,
    unknown_results: tuple[str, ...],
) -> Elaborated:
    """Return the combined result of the steps of a graph."""
    head = graph.head
    span, name = Span(graph.start, graph.end), head.name.span.shifted(graph.start)
    order = [parameter.name.text for parameter in head.parameters]
    bodies: dict[str, BodyValues] = {}
    for step in steps:
        for fragment, values in step.record.bodies:
            bodies.setdefault(fragment, values)
    extents, unbound = _extents(context, steps, name)
    return Elaborated(
        context.dialect,
        flat_graph.definition((*flat_entries(steps), *unbound), head.name.text, span, name, order, before),
        (
            *_once(problems_of(steps)),
            *_missing_files(steps, context.files),
            *check_submodels(submodels_of(steps)),
            *_unproven(steps, header_end, {name for step in steps for name in step.record.symbols}),
        ),
        (*variables_of(steps),),
        dict(chains_of(steps)),
        BodyValues({}, [step.values for step in steps[:-1]]),
        bodies,
        context.symbols,
        extents,
        (*calls_of(steps),),
        _once(of_quantization.problems),
        steps,
        context.names.fragments,
        environment,
        tuple([label for step in steps for label, _ in step.record.files]),
        unknown_results,
    )


def _missing_files(steps: Sequence[ElaboratedEntry], files: TensorFiles) -> Iterator[Problem]:
    """Yield the variables without a file in a model that has files: a text may be looked at without any of them."""
    found = dict([pair for step in steps for pair in step.record.files])
    missing = {label for label, file in found.items() if file is None}
    listing = {normpath(each).removesuffix(".dat") for each in (files.listing() if missing else ())}
    if not missing or (len(missing) == len(found) and not listing):
        return
    unread = sorted(listing - {normpath(each) for each in found})
    suggestions = iter(range(MOST_SUGGESTIONS))
    for variable in variables_of(steps):
        if variable.label not in missing:
            continue
        close = [] if next(suggestions, None) is None else close_matches(variable.label, unread, most=1)
        hint, repair = ", although other variables have theirs" if len(missing) < len(found) else "", None
        if close:
            hint, inner = f"; did you mean '{close[0]}'?", Span(variable.span.start + 1, variable.span.end - 1)
            is_written = not variable.folder and inner.end - inner.start == len(variable.label)
            repair = Repair(f"Write '{close[0]}'", (Edit(inner, close[0]),), safe=False) if is_written else None
        message = f"there is no file '{variable.label}.dat'{hint}"
        yield Problem(rules.INVALID_TENSOR_FILE, variable.span, message, (), repair)


def _unproven(steps: Sequence[ElaboratedEntry], header_end: int, undeclared: Collection[str]) -> Iterator[Problem]:
    """Yield the equations between extents that nothing says, each at the first place that needs it.

    An assertion about an ``undeclared`` symbol would hide a misspelt name.
    """
    found: dict[Integer, list[Unproven]] = {}
    for each in unproven_of(steps):
        found.setdefault(each.equation, []).append(each)
    for first, *others in found.values():
        found_problem = problem_of(first, others, header_end)
        is_undeclared = any(leaf.name in undeclared for leaf in first.equation.leaves)
        yield replace(found_problem, repair=None) if is_undeclared else found_problem


def _header_end(items: Sequence[nodes.Item]) -> int:
    """Return the offset after the semicolon of the last version or extension."""
    header = (each for each in items if isinstance(each, nodes.Placed) and not isinstance(each.item, nodes.ErrorItem))
    return max((each.start + each.item.end + 1 for each in header), default=0)


def _extents(
    context: ElaborationContext, steps: Sequence[ElaboratedEntry], place: Span
) -> tuple[Mapping[str, Integer], Sequence[tuple[str, flat_nodes.Entry]]]:
    """Return extents about which more than the name is known, by name in the graph, and entries for symbols.

    A symbol that is not itself an extent of an input follows from an extent such as ``2 * S + 1``. Otherwise it becomes
    an attribute: the inputs don't determine its value.
    """
    of_inputs = [extent for step in steps for extent in step.record.extents]
    made = (*context.symbols.values(), *of_inputs)
    found = {flat_graph.extent_name(each): each for each in made if not flat_graph.is_plain(each)}
    bound = {leaf.key for each in of_inputs if (leaf := each.variable) is not None}
    entries: list[tuple[str, flat_nodes.Entry]] = []
    graph = flat_graph.FlatGraph()
    graph.record(entries, [])
    for symbol in context.symbols.values():
        leaf = symbol.variable
        if leaf is not None and leaf.key not in bound and any(leaf in each.leaves for each in of_inputs):
            solved = next((value for each in of_inputs if (value := _solved(each, symbol)) is not None), None)
            if solved is not None:
                graph.define(place, flat_graph.extent_name(symbol), solved)
            else:
                graph.declare("attrib", 0, place, flat_graph.extent_name(symbol), "int", None)
                found[flat_graph.extent_name(symbol)] = symbol
    return found, entries


def _solved(extent: Integer, symbol: Integer) -> Integer | None:
    """Return a symbol, computed from an extent ``factor * symbol + number``; None for an extent of another form."""
    factor, number = extent.content, extent.constant_term
    if factor == 0 or extent != symbol * factor + number:
        return None
    return floor_divide(input_extent(flat_graph.extent_name(extent)) - number, factor)


def _once(found: Iterable[tuple[Problem, bool]]) -> tuple[Problem, ...]:
    """Return the problems without duplicates, however often their place was elaborated."""
    problems: dict[tuple[Rule, Span], Problem] = {}
    for problem, _ in found:
        problems.setdefault((problem.rule, problem.span), problem)
    return tuple(problems.values())


def _changed_fragments(before: Mapping[str, nodes.Definition], now: Mapping[str, nodes.Definition]) -> Iterator[str]:
    """Yield the names of fragments that are new, gone or changed. A moved fragment counts: spans in it are absolute."""
    for name in {**before, **now}:
        if name not in before or name not in now or not _are_same(before[name], now[name]):
            yield name


def _are_same(one: nodes.Definition, other: nodes.Definition) -> bool:
    if one.start != other.start or one.head is not other.head or (one.body is None) is not (other.body is None):
        return False
    bodies = one.body or (), other.body or ()
    return len(bodies[0]) == len(bodies[1]) and all(
        first.start == second.start and first.statements is second.statements
        for first, second in zip(*bodies, strict=True)
    )


def _last_target(frame: Frame, name: str) -> Span | None:
    """Return the span of the last assignment of a name, counted from the start of the graph; None if it is in parts."""
    for entry in reversed(frame.body):
        for statement in reversed(entry.statements):
            target = statement.target if isinstance(statement, nodes.Assignment) else None
            if isinstance(target, nodes.Identifier) and target.text == name:
                return target.span.shifted(entry.start - frame.base)
    return None


def declare_output(context: ElaborationContext, frame: Frame, result: nodes.Result, value: ElaboratedValue) -> None:
    """Declare an output, and assign the value of the result to it, unless that has its name already."""
    span, name = result.name.span, result.name.text
    if context.dialect is Dialect.TRACT and isinstance(value, ItemList):
        value = constant_of(context, frame, value, span, result.name) or value
    if isinstance(value, GraphTensor) and value.known is not None and not value.name:
        value = materialized(context, frame, value, span, result.name)
    match value:
        case GraphTensor(name=own, tensor=Tensor(dtype=dtype)):
            if own != name:
                name = context.graph.result_name(name)
                context.graph.assign(frame.base, span, [(name, span)], flat_graph.reference(own, span))
            context.graph.declare("output", frame.base, span, name, dtype or "real", None)
        case Integer() | float() | Truth():
            name = context.graph.result_name(name)
            context.graph.assign(frame.base, span, [(name, span)], flat_graph.expression(value, span))
            context.graph.declare("output", frame.base, span, name, item_type(value) or "real", None)
        case ItemList():
            message = f"the result '{name}' is an array or tuple, but results of a graph are single tensors"
            context.report(frame, rules.RESULT_COUNT, _last_target(frame, name) or result.name, message)
