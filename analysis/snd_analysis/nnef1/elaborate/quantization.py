"""Quantization of the tensors of a graph by a ``graph.quant`` file, as ``@quantize`` of the SkriptND graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import MADE_FOR, Note, Span
from snd_analysis.compose import Template
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import ElaborationContext, Frame, StoredVariable
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.operators import Unsuitable, attribute_value
from snd_analysis.nnef1.elaborate.rewriting import REWRITTEN
from snd_analysis.nnef1.elaborate.sources import SOURCES
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, GraphTensor, ItemList, type_name
from snd_analysis.nnef1.limits import MOST_SUGGESTIONS
from snd_analysis.nnef1.syntax import Dialect, QuantizationFile, nodes
from snd_analysis.skriptnd.syntax import close_matches
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Value

_OF_TRACT = {
    "linear_quantize": "tract_linear_quantize",
    "zero_point_linear_quantize": "zero_point_linear_quantize",
}
"""The operations that tract reads, and the operators that implement tract's meaning of them."""
_BITS_OF_TRACT = (8, 32)


class QuantizedByFragments(Struct, frozen=True, eq=False):
    """The fragments that quantize tensors of a graph."""

    operators: Mapping[str, flat_nodes.Definition] = {}
    """Fragments elaborated for one tensor each, as operators under names that no definition of a file has."""
    left_out: Mapping[str, str] = {}
    """Tensors with the fragments that can't be operators for them, because their result has another shape."""


def apply_quantization(
    file: QuantizationFile,
    graph: ElaborationContext,
    own: ElaborationContext,
    tensors: Mapping[str, ElaboratedValue],
    variables: Sequence[StoredVariable],
    span: Span,
) -> QuantizedByFragments:
    """Quantize tensors of a graph as a file says. ``tensors`` are the tensors of the graph, by name.

    ``own`` collects the problems of the file. Lines without a mistake become entries of the graph, at ``span``. Return
    the fragments that quantize tensors.
    """
    seen: dict[str, Span] = {}
    operators: dict[str, flat_nodes.Definition] = {}
    left_out: dict[str, str] = {}
    suggestions = iter(range(MOST_SUGGESTIONS))
    for start, line in file.lines:
        frame = Frame({}, base=start)
        if not _is_new(own, frame, line, seen) or not _is_of_graph(own, frame, line, tensors, variables, suggestions):
            continue
        name = line.operation.function.text
        value = tensors[quantized_name(line)]
        if own.dialect is Dialect.KHRONOS and name in own.names.fragments:
            found = _fragment_operator(own, frame, line, value, span) if isinstance(value, GraphTensor) else None
            if found is None or not isinstance(value, GraphTensor):
                left_out[quantized_name(line)] = name
            else:
                operators[found.name.text] = found
                graph.graph.quantize(span, value.name, (found.name.text,), {})
            continue
        attributes = _attributes(own, frame, line.operation)
        if attributes is None or not isinstance(value, GraphTensor) or value.tensor is None:
            continue
        if own.dialect is Dialect.TRACT and value.tensor.dtype == "int":
            continue  # the tensor has codes in the graph itself
        if value.tensor.dtype not in ("real", None):
            message = f"only tensors of scalars are quantized, but '{quantized_name(line)}' is '{type_name(value)}'"
            own.report(frame, rules.TYPE_MISMATCH, line.tensor, message)
        elif value.name:
            operator = _OF_TRACT[name] if own.dialect is Dialect.TRACT else name
            graph.graph.quantize(span, value.name, (flat_graph.QUANTIZATION, operator), attributes)
    return QuantizedByFragments(operators, left_out)


def quantized_name(line: nodes.Quantization) -> str:
    """Return the name of the tensor that a line is about."""
    return line.tensor.value if isinstance(line.tensor, nodes.String) else line.tensor.text


def _is_new(own: ElaborationContext, frame: Frame, line: nodes.Quantization, seen: dict[str, Span]) -> bool:
    name, span = quantized_name(line), line.tensor.span.shifted(frame.base)
    first = seen.setdefault(name, span)
    if first is not span:
        note = Note(first, f"'{name}' is quantized here")
        own.report(frame, rules.DUPLICATE_QUANTIZATION, line.tensor, f"'{name}' is quantized already", notes=(note,))
    return first is span


def _is_of_graph(
    own: ElaborationContext,
    frame: Frame,
    line: nodes.Quantization,
    tensors: Mapping[str, ElaboratedValue],
    variables: Sequence[StoredVariable],
    suggestions: Iterator[int],
) -> bool:
    name = quantized_name(line)
    if name in tensors:
        return True
    label = next((each.name for each in variables if each.label == name), None)
    close = [] if next(suggestions, None) is None else close_matches(name, tensors, most=1)
    hint = f"; '{name}' is the label of '{label}'" if label else f"; did you mean '{close[0]}'?" if close else ""
    message = f"the graph has no tensor '{name}'{hint}"
    own.report(frame, rules.UNKNOWN_QUANTIZED_TENSOR, line.tensor, message)
    return False


def _attributes(own: ElaborationContext, frame: Frame, call: nodes.Call) -> dict[str, Value] | None:
    """Return the attributes that a line gives to its operation; None after reporting a problem."""
    name, evaluator = call.function.text, BodyEvaluator(own, frame, {})
    known = own.operators.quantization(name)
    if own.dialect is Dialect.TRACT and name not in _OF_TRACT:
        message = f"tract knows no quantization '{name}', only {' and '.join(map(repr, _OF_TRACT))}"
        own.report(frame, rules.UNKNOWN_OPERATOR, call.function, message)
        return None
    if known is None:
        own.report(frame, rules.UNKNOWN_OPERATOR, call.function, f"there is no quantization '{name}'")
        return None
    given = _named(own, frame, call, known)
    if given is None:
        return None
    values = {each: evaluator.evaluate(argument.value) for each, argument in given.items()}
    found: dict[str, Value] = {}
    for member in known.attributes:
        argument, value = given[member.name], values[member.name]
        if value is UNKNOWN:
            return None
        try:
            if isinstance(value, ItemList):
                raise Unsuitable(
                    f"'{member.name}' is one number for the whole tensor: a list, one for each channel, is not read"
                )
            found[member.name] = attribute_value(member, value, own.dialect is Dialect.KHRONOS)
        except Unsuitable as unsuitable:
            own.report(frame, rules.TYPE_MISMATCH, argument.value, str(unsuitable))
            return None
    return found if _is_in_range(own, frame, given, found) else None


def _fragment_operator(
    own: ElaborationContext, frame: Frame, line: nodes.Quantization, tensor: GraphTensor, span: Span
) -> flat_nodes.Definition | None:
    """Return the fragment that a line names, elaborated for the tensor, as an operator with its head at ``span``.

    None if the line names no fragment. Problems are reported. The tensor is the first argument of the invocation.
    """
    call = line.operation
    if (unnamed := next((each for each in call.arguments if each.name is None), None)) is not None:
        _needs_names(own, frame, unnamed)
        return None
    record = _with_fragment(own, frame, line, tensor)[0].record
    own.record.problems += ((problem, True) for problem, is_own in record.problems if is_own)
    inside = next((problem for problem, is_own in record.problems if not is_own), None)
    if inside is not None:
        name = call.function.text
        own.report(frame, inside.rule, call.function, f"'{name}' can't quantize this tensor: {inside.message}")
    known = tensor.tensor
    if record.problems or known is None or known.dtype != "real" or known.shape is None:
        return None
    shape = tuple(each for each in known.shape if isinstance(each, Integer))
    trial, value = _with_fragment(own, Frame({}), flat_graph.placed(line, span), tensor, shape)
    if not isinstance(value, GraphTensor) or value.tensor is None:
        return None
    if (value.tensor.dtype, value.tensor.shape) != (known.dtype, known.shape) or value.name == tensor.name:
        return None
    trial.graph.declare("output", 0, span, value.name, "real", shape)
    name = f"{call.function.text}{MADE_FOR}{quantized_name(line)!r}"
    made = flat_graph.definition(trial.record.entries, name, span, span, ())
    return flat_nodes.Definition(made.start, made.end, "operator", False, made.name, made.blocks)


def _with_fragment(
    own: ElaborationContext,
    frame: Frame,
    line: nodes.Quantization,
    tensor: GraphTensor,
    shape: tuple[Integer, ...] | None = None,
) -> tuple[ElaborationContext, ElaboratedValue | None]:
    """Invoke a fragment with a tensor before the arguments of a line.

    Return the context with all findings, and the result. The tensor is an input of a ``shape``, if there is one.
    """
    call, place = line.operation, line.tensor.span
    trial = ElaborationContext(own.dialect, own.operators, own.files, own.names)
    trial.begin_record()
    if shape is not None:
        trial.graph.declare("input", frame.base, place, tensor.name, "real", shape)
    evaluator = BodyEvaluator(trial, frame, {**SOURCES, **REWRITTEN})
    result = nodes.Identifier(call.start, call.end, trial.graph.unused_name("result"))
    frame.making = result.text
    invoked = replace(call, arguments=(nodes.Argument(place.start, place.end, None, line.tensor), *call.arguments))
    values = [Given(evaluator.evaluate(each.value), each.value.span) for each in call.arguments]
    evaluator.invoke_with(invoked, result, [Given(tensor, place), *values])
    return trial, frame.names.get(result.text)


def _needs_names(own: ElaborationContext, frame: Frame, argument: nodes.Argument) -> None:
    message = "the tensor stands before the colon: all else is named, as in 'bits = 8'"
    own.report(frame, rules.QUANTIZATION_WITH_ARGUMENTS, argument, message)


def _named(
    own: ElaborationContext, frame: Frame, call: nodes.Call, known: Template
) -> dict[str, nodes.Argument] | None:
    """Return the arguments by name; None if some are missing, or have no name."""
    names = [member.name for member in known.attributes]
    found: dict[str, nodes.Argument] = {}
    for argument in call.arguments:
        if argument.name is None:
            _needs_names(own, frame, argument)
            return None
        name = argument.name.text
        if name not in names:
            close = close_matches(name, names, most=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            message = f"'{call.function.text}' has no parameter '{name}'{hint}"
            own.report(frame, rules.UNKNOWN_ATTRIBUTE, argument.name, message)
            return None
        if name in found:
            message = f"'{name}' of '{call.function.text}' is given twice"
            own.report(frame, rules.DUPLICATE_ATTRIBUTE, argument, message)
            return None
        found[name] = argument
    missing = [name for name in names if name not in found]
    if missing:
        message = f"'{call.function.text}' needs '{missing[0]}'"
        own.report(frame, rules.MISSING_ARGUMENT, call.function, message)
        return None
    return found


def _is_in_range(
    own: ElaborationContext, frame: Frame, given: Mapping[str, nodes.Argument], values: Mapping[str, Value]
) -> bool:
    """Return whether the numbers allow a quantization. Report numbers that do not."""
    bits, least, greatest = values.get("bits"), values.get("min"), values.get("max")
    number = bits.value if isinstance(bits, Integer) else None
    message = None
    if number is not None and number < 1:
        message, at = f"'bits' must be positive, but is {number}", "bits"
    elif own.dialect is Dialect.TRACT and number is not None and number not in _BITS_OF_TRACT:
        message, at = f"tract quantizes to 8 or 32 bits, not to {number}, where it ends with a fault", "bits"
    elif isinstance(least, float) and isinstance(greatest, float) and not least < greatest:
        message, at = f"'min' must be less than 'max', but they are {least} and {greatest}", "max"
    elif least is None and isinstance(greatest, float) and not greatest > 0:
        message, at = f"'max' must be positive, but is {greatest}", "max"
    elif isinstance(values.get("scale"), float) and not values["scale"] > 0:  # type: ignore[operator]
        message, at = f"'scale' must be positive, but is {values['scale']}", "scale"
    if message is not None:
        own.report(frame, rules.ASSERTION_FAILS, given[at].value, message)
    return message is None
