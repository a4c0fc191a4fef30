"""Samples of fragments in NNEF 1.0: each invokes a graph that is made for it.

A fragment has no shapes of its own, so it is elaborated with the arguments of the sample. The graph has a name that no
definition can have: the name of the fragment with the text of the invocation. Lookups find it under this name; the tree
of the file does not contain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import MADE_FOR, Elsewhere, Note, Problem, Span
from snd_analysis.compose import PlacedProblem
from snd_analysis.db import Database, query
from snd_analysis.nnef1.elaborate import (
    UNKNOWN,
    ArgumentValue,
    ElaboratedValue,
    FragmentGraph,
    FragmentInvocation,
    FragmentsOfFile,
    GivenArgument,
    GivenTensor,
    ItemList,
    fragment_graph,
    fragments_of,
    same_fragments,
)
from snd_analysis.nnef1.syntax import nodes as nnef1_nodes
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.samples import RaggedError, Sample, attempt, is_generated, read_invocation, rows_of
from snd_analysis.skriptnd.syntax import Chunk, close_matches, made_tree, nodes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import dtype_of
from snd_analysis.workspace.files import SampleCall, SampleProblem, text
from snd_analysis.workspace.nnef1 import Files, Library, elaborated, nnef1_tree, operation_names, scope

_DTYPES = {"scalar": "real", "integer": "int", "logical": "bool", "string": "str"}
_VALUES = Integer | float | Truth | str


class _Argument(Struct, frozen=True):
    """An argument as written, and the expressions in it that are tensors, with the names of their inputs."""

    name: nodes.Name | None
    node: nodes.Expression | nodes.Tilde
    parameter: nnef1_nodes.Parameter | None
    inputs: tuple[tuple[str, nodes.Expression], ...] = ()
    is_array: bool = False


@query(same=same_fragments, is_firewall=True)
def _fragments(db: Database, path: str) -> FragmentsOfFile:
    return fragments_of(nnef1_tree(db, path))


@query
def _graph(db: Database, name: OperatorName) -> FragmentGraph | None:
    """Return the graph of that name; None if it is not an invocation of a fragment."""
    of_file, code = _fragments(db, name.path), name.name.partition(MADE_FOR)[2]
    call = read_invocation(code, 0, len(code), [], True)
    fragment = None if call is None else of_file.fragments.get(call.function.text)
    if call is None or fragment is None:
        return None
    given = tuple(map(_given, _arguments(call, fragment)))
    function = nnef1_nodes.Identifier(call.function.start, call.function.end, call.function.text)
    arguments = tuple(
        nnef1_nodes.Argument(each.span.start, each.span.end, each.name, _stand_in(each)) for each in given
    )
    invocation = nnef1_nodes.Call(call.start, call.end, function, None, arguments)
    files = Files(db, name.path)
    return fragment_graph(of_file, Library(db), files, name.name, invocation, given)


def made_chunk(db: Database, name: OperatorName) -> Chunk | None:
    """Return a chunk with the graph made for a sample, or the operator made for a quantized tensor.

    None if no fragment is invoked under this name.
    """
    found = elaborated(db, name.path).quantized_by_fragments.operators.get(name.name)
    if found is None:
        of_sample = _graph(db, name) if MADE_FOR in name.name else None
        found = None if of_sample is None else of_sample.definition
    if found is None:
        return None
    written = text(db, name.path)
    document = nodes.Document(0, found.end, (found,))
    return made_tree(written if isinstance(written, str) else "", document, (), ()).chunks[0].chunk


def chains(db: Database, name: OperatorName) -> Mapping[nodes.Node, tuple[FragmentInvocation, ...]]:
    """Return the invocations inside of the fragment that led to statements of its graph."""
    found = _graph(db, name)
    return {} if found is None else found.chains


def sample_call(db: Database, path: str, sample: Sample) -> SampleCall | None:
    """Return the invocation that replaces a sample of a fragment, and its problems; None for other samples."""
    call = sample.invocation
    if call is None:
        return None
    function = call.function
    fragment = _fragments(db, path).fragments.get(function.text)
    if fragment is None:
        if scope(db, path).operator(tuple(part.text for part in function.parts)) is not None:
            return None
        of_file = _fragments(db, path)
        names = (*of_file.fragments, *operation_names(of_file.dialect))
        close = close_matches(function.text, names, most=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        message = f"there is no graph, fragment or operation '{function.text}'{hint}"
        return SampleCall(call, (Problem(rules.UNKNOWN_OPERATOR, function.span, message),))
    name = OperatorName(path, f"{function.text}{MADE_FOR}{sample.code[call.start : call.end]}")
    arguments = [*_arguments(call, fragment)]
    found = _graph(db, name)
    if found is None:
        return None
    part = nodes.Name(function.start, function.end, name.name)
    invoked = nodes.Call(
        call.start, call.end, nodes.Qualified(function.start, function.end, (part,)), None, None,
        tuple(node for each in arguments for _, node in each.inputs),
    )  # fmt: skip
    problems = [each.shifted(call.start) for each in found.own_problems]
    problems += [_no_value(each.node) for each in arguments if not each.inputs and _is_no_value(each.node)]
    inside = tuple(_seen_from(path, name.name, function, each) for each in found.problems)
    is_told = bool(problems or inside) or any(_given(each).value is UNKNOWN for each in arguments)
    if found.definition is None and not is_told:
        message = f"'{function.text}' has statements that can't be read, so its results are not known"
        problems.append(Problem(rules.SAMPLE_FAILS, function.span, message))
    return SampleCall(invoked, tuple(problems), inside, found.definition is not None)


def _seen_from(path: str, name: str, function: nodes.Qualified, inner: Problem) -> SampleProblem:
    """Return a problem inside a fragment, reported at its name in the sample."""
    places = (Note(inner.span, "it is here"), *inner.notes)
    notes = tuple(Note(Span(0, 0), each.message, Elsewhere(path, name, span=each.span)) for each in places)
    message = f"in '{function.text}': {inner.message}"
    return SampleProblem(Problem(inner.rule, function.span, message, notes), PlacedProblem(name, inner))


# ---- arguments -------------------------------------------------------------------------------------------------------
def _arguments(call: nodes.Call, fragment: nnef1_nodes.Definition) -> Iterator[_Argument]:
    parameters = fragment.head.parameters
    by_name = {each.name.text: each for each in parameters}
    for at, node in enumerate(call.arguments):
        yield _argument(None, node, parameters[at] if at < len(parameters) else None)
    for attribute in () if call.attributes is None else call.attributes.items:
        yield _argument(attribute.name, attribute.value, by_name.get(attribute.name.text))


def _argument(
    name: nodes.Name | None, node: nodes.Expression | nodes.Tilde, parameter: nnef1_nodes.Parameter | None
) -> _Argument:
    if parameter is None or isinstance(node, nodes.Tilde):
        return _Argument(name, node, parameter)
    match parameter.type:
        case nnef1_nodes.TensorType() if _is_tensor(node):
            return _Argument(name, node, parameter, ((parameter.name.text, node),))
        case nnef1_nodes.ArrayType(item=nnef1_nodes.TensorType()) if isinstance(node, nodes.List):
            tensors = [item for item in node.items if _is_tensor(item)]
            if len(tensors) == len(node.items):
                inputs = tuple((f"{parameter.name.text} {at}", each) for at, each in enumerate(tensors, start=1))
                return _Argument(name, node, parameter, inputs, True)  # type: ignore[arg-type]
    return _Argument(name, node, parameter)


def _is_tensor(node: nodes.Node) -> bool:
    return isinstance(node, nodes.List) or is_generated(node)


def _given(argument: _Argument) -> GivenArgument:
    parameter = argument.parameter
    name = None if argument.name is None else argument.name
    named = None if name is None else nnef1_nodes.Identifier(name.start, name.end, name.text)
    place = Span(0, 0) if parameter is None else parameter.name.span
    value: ArgumentValue
    if argument.inputs:
        tensors = tuple(_tensor(each, node, parameter) for each, node in argument.inputs)
        known = [each for each in tensors if each is not None]
        value = UNKNOWN if len(known) < len(tensors) else tuple(known) if argument.is_array else known[0]
    else:
        value = _value(argument.node)
    return GivenArgument(named, argument.node.span, value, place)


def _tensor(name: str, node: nodes.Expression, parameter: nnef1_nodes.Parameter | None) -> GivenTensor | None:
    """Return an argument as a tensor; None if it is not one, which is reported for the sample."""
    declared = _declared_dtype(None if parameter is None else parameter.type)
    if isinstance(node, nodes.Subscript):
        extents = [_value(item) for item in node.index.items if not isinstance(item, nodes.Range | nodes.Expanded)]
        shape = [each.value for each in extents if isinstance(each, Integer) and each.value is not None]
        is_shape = len(shape) == len(node.index.items) and min(shape, default=0) >= 0
        return GivenTensor(name, declared, tuple(shape)) if is_shape else None
    try:
        rows = rows_of(node) if isinstance(node, nodes.List) else None
    except RaggedError:
        return None
    if rows is None:
        return None
    items = tuple(_value(each) for each in rows.items)
    dtype = next((found for each in rows.items if (found := _dtype(each)) is not None), declared)
    return GivenTensor(name, dtype, rows.shape, items)


def _declared_dtype(type_: nnef1_nodes.Type | None) -> str:
    match type_:
        case nnef1_nodes.ArrayType(item=item):
            return _declared_dtype(item)
        case nnef1_nodes.TensorType(item=nnef1_nodes.PrimitiveType(text=text)):
            return _DTYPES.get(text, "real")
    return "real"


def _dtype(item: nodes.ListItem) -> str | None:
    if isinstance(item, nodes.Range | nodes.Expanded | nodes.Zip):
        return None
    found = dtype_of(attempt(item))
    return found if found in _DTYPES.values() else None


def _value(node: nodes.Node) -> ElaboratedValue:
    if isinstance(node, nodes.List):
        items = tuple(map(_value, node.items))
        return UNKNOWN if any(each is UNKNOWN for each in items) else ItemList(items)
    if isinstance(node, nodes.Tilde | nodes.Range | nodes.Expanded | nodes.Zip):
        return UNKNOWN
    value = attempt(node)  # type: ignore[arg-type]
    return value if isinstance(value, _VALUES) else UNKNOWN


def _is_no_value(node: nodes.Node) -> bool:
    return _value(node) is UNKNOWN


def _no_value(node: nodes.Node) -> Problem:
    message = "an argument is a tensor, such as '[1.0, 2.0]' or 'random[2, 3]', or a value that is known"
    return Problem(rules.SAMPLE_SYNTAX, node.span, message)


def _stand_in(given: GivenArgument) -> nnef1_nodes.Expression:
    """Return a placeholder expression for an argument whose value is given."""
    return nnef1_nodes.ErrorExpression(given.span.start, given.span.end)
