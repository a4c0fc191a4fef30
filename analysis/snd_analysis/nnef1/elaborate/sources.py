"""The operations that declare tensors: external, variable and constant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import StoredVariable
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator, Source
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.casts import narrow_integer
from snd_analysis.nnef1.elaborate.items.item_types import NAMES, Given, dtype_of_tract
from snd_analysis.nnef1.elaborate.operators import OperationParameter
from snd_analysis.nnef1.elaborate.tensor_files import TensorFile, file_of, is_read_by_tract
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    KnownItems,
    PulseOf,
    QuantizedType,
    Stream,
    flattened,
    has_unknown,
    type_name,
)
from snd_analysis.nnef1.syntax import Dialect, nodes
from snd_analysis.symbolic.integers import Integer, constant

_NOT_IN_LABELS = re.compile(r"[^\w\-./\\]")
_DTYPES = {"scalar": "real", "integer": "int", "logical": "bool", "string": "str"}


def _external(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    dtype = _dtype(evaluator, call)
    if dtype == "str" and evaluator.context.dialect is Dialect.TRACT:
        return UNKNOWN  # which is reported: tract has no such inputs
    return _input(evaluator, call, given, target, dtype)


def _typed_external(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    written = given["datum_type"].value if "datum_type" in given else "f32"
    dtype = dtype_of_tract(written) if isinstance(written, str) else None
    if dtype is None:
        message = f"'{written}' is no type of tract" if isinstance(written, str) else "the type must be a string"
        return evaluator.report(rules.TYPE_MISMATCH, given["datum_type"].span, message)
    made = _input(evaluator, call, given, target, dtype)
    return replace(made, narrow=narrow_integer(written)) if isinstance(made, GraphTensor) else made


def _input(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None, dtype: str
) -> ElaboratedValue:
    shape = shape_of(evaluator, given["shape"])
    context = evaluator.context
    if context.dialect is Dialect.KHRONOS and not evaluator.frame.chain:
        name = target.text if isinstance(target, nodes.Identifier) else None
        if name not in context.parameters:
            message = "the result of an 'external' is a parameter of the graph, and this is none"
            evaluator.report(rules.ILLEGAL_ASSIGNMENT, call.function if target is None else target, message)
        elif name is not None:
            context.inputs.add(name)
            context.record.inputs.append(name)
    if shape is None or not isinstance(target, nodes.Identifier):
        return UNKNOWN
    stream = None if context.pulse is None else _stream(shape, context.pulse)
    if stream is not None and context.pulse is not None:
        axis, symbol = stream.axis, context.pulse.symbol
        if sum(any(leaf.name == symbol for leaf in each.leaves) for each in shape) > 1 or shape[axis].variable is None:
            written = f"[{', '.join(map(str, shape))}]"
            message = (
                f"an input that is seen pulse by pulse has one axis of the extent '{symbol}', but this has {written}"
            )
            return evaluator.report(rules.ASSERTION_FAILS, given["shape"].span, message)
        shape = (*shape[:axis], constant(context.pulse.length), *shape[axis + 1 :])
    made = _declared(evaluator, "input", target, dtype, shape, TensorKind.INPUT)
    return replace(made, stream=stream)


def _stream(shape: tuple[Integer, ...], pulse: PulseOf) -> Stream | None:
    """Return the stream along the first axis whose extent has the symbol; None if there is no such axis."""
    for axis, extent in enumerate(shape):
        if any(leaf.name == pulse.symbol for leaf in extent.leaves):
            return Stream(axis, 0, extent)
    return None


def _variable(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    shape, label = shape_of(evaluator, given["shape"]), given["label"]
    if not isinstance(label.value, str):
        if label.value is not UNKNOWN:
            evaluator.report(rules.TYPE_MISMATCH, label.span, "a label is a string")
        return UNKNOWN
    if shape is None or not isinstance(target, nodes.Identifier):
        return UNKNOWN
    path = evaluator.context.in_folder(label.value)
    _demand_label(evaluator, label.span, path, shape)
    if not is_read_by_tract(evaluator.context.folder, label.value):
        message = f"tract does not find '{label.value}.dat': it reads no folders in the folder of a submodel"
        evaluator.report(rules.INVALID_LABEL, label.span, message)
    file = evaluator.context.tensor_file(path)
    if file is not None and file.fault is not None:
        evaluator.report(rules.INVALID_TENSOR_FILE, label.span, f"'{path}.dat': {file.fault}")
    dtype = _dtype(evaluator, call)
    if file is not None and file.fault is None:
        if call.generic is None or evaluator.context.dialect is Dialect.TRACT:
            dtype = file.dtype
        elif file.dtype != dtype and not _may_have_codes(evaluator, dtype, file, target.text):
            message = f"the variable has items of '{NAMES[dtype]}', but those of its file are '{NAMES[file.dtype]}'"
            evaluator.report(rules.INVALID_TENSOR_FILE, call.generic, message)
        _demand_extents(evaluator, given["shape"].span, shape, file)
    extents = tuple(each.value for each in shape if each.value is not None)
    if len(extents) != len(shape):
        evaluator.report(rules.DYNAMIC_VARIABLE, given["shape"].span, "the extents of a variable must be numbers")
        return UNKNOWN
    made = _declared(evaluator, "variable", target, dtype, shape, TensorKind.VARIABLE)
    if file is not None and evaluator.context.dialect is Dialect.TRACT:
        type_ = None if evaluator.frame.chain or dtype != "int" else _quantized_type(evaluator, target)
        made = replace(made, narrow=narrow_integer(file.narrow), quantized=type_)
    span = label.span.shifted(evaluator.frame.base)
    items = () if file is None else file.items
    variable = StoredVariable(made.name, path, extents, span, items, evaluator.context.folder)
    evaluator.context.record.variables.append((variable, not evaluator.frame.chain))
    evaluator.context.stored[made.name] = path
    if file is not None and len(file.items) == prod(extents) and file.items:
        return replace(made, known=KnownItems(extents, file.items))
    return made


def _quantized_type(evaluator: BodyEvaluator, target: nodes.Identifier) -> QuantizedType | None:
    return evaluator.context.names.quantized_types.get(target.text)


def _may_have_codes(evaluator: BodyEvaluator, dtype: str, file: TensorFile, name: str) -> bool:
    """Return whether a file of ints may hold a variable of another type: of bools, or of a quantized type."""
    return file.dtype == "int" and (dtype == "bool" or name in evaluator.context.names.quantized)


def _demand_label(evaluator: BodyEvaluator, span: Span, label: str, shape: tuple[Integer, ...]) -> None:
    """Report a label that is not usable as a path: it is empty, leaves the folder, or has other characters."""
    if not label:
        evaluator.report(rules.INVALID_LABEL, span, "a label names the file of a variable, and must not be empty")
    elif file_of(label) is None or (label.startswith("/") and evaluator.context.dialect is Dialect.KHRONOS):
        message = f"the label '{label}' leads out of the folder of the model"
        evaluator.report(rules.INVALID_LABEL, span, message)
    elif evaluator.context.dialect is Dialect.KHRONOS and (wrong := _NOT_IN_LABELS.search(label)) is not None:
        message = f"labels consist of letters, digits and '_', '-', '.', '/', '\\', but this has '{wrong[0]}'"
        evaluator.report(rules.INVALID_LABEL, span, message)
    extents = tuple(-1 if each.value is None else each.value for each in shape)
    known = evaluator.context.labels.setdefault(label.lower(), extents)
    evaluator.context.record.labels.append((label.lower(), extents))
    if known != extents:
        message = (
            f"variables of one label have one shape, but these are [{','.join(map(str, known))}] and "
            f"[{','.join(map(str, extents))}]"
        )
        evaluator.report(rules.INVALID_LABEL, span, message)


def _demand_extents(evaluator: BodyEvaluator, span: Span, shape: tuple[Integer, ...], file: TensorFile) -> None:
    """Report a file whose extents differ from the variable's; blocks of items may be stored as a matrix."""
    extents = tuple(each.value for each in shape)
    if None not in extents and extents != file.shape and not file.in_blocks:
        wanted, found = ",".join(map(str, extents)), ",".join(map(str, file.shape))
        message = f"the variable has the extents [{wanted}], but its file has [{found}]"
        evaluator.report(rules.INVALID_TENSOR_FILE, span, message)


def _constant(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    template = evaluator.context.template("constant")
    if template is None or any(has_unknown(each.value) for each in given.values()):
        return UNKNOWN
    if evaluator.context.dialect is Dialect.KHRONOS and shape_of(evaluator, given["shape"]) is None:
        return UNKNOWN
    values = given["value"].value
    items = flattened(values.values if isinstance(values, ItemList) else (values,))
    if call.generic is None or call.generic.text == "scalar":
        items = tuple(
            float(each.value) if isinstance(each, Integer) and each.value is not None else each for each in items
        )
    exact = {**given, "value": Given(ItemList(items), given["value"].span)}
    return invoke(evaluator.context, evaluator.frame, call.function, template, exact, target)


def _update(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    """Assign a new value to a variable: the result replaces it."""
    context, variable, value = evaluator.context, given["variable"], given["value"].value
    if evaluator.frame.chain:
        return value  # which is reported
    if has_unknown(variable.value) or has_unknown(value):
        return UNKNOWN
    tensor = variable.value.tensor if isinstance(variable.value, GraphTensor) else None
    if not isinstance(variable.value, GraphTensor) or tensor is None or tensor.kind is not TensorKind.VARIABLE:
        return evaluator.report(rules.ILLEGAL_ASSIGNMENT, variable.span, "only variables can be updated")
    context.record.is_lasting = False
    if variable.value.name in context.updated:
        message = f"the variable '{variable.value.name}' is updated already"
        return evaluator.report(rules.ASSIGNED_TWICE, variable.span, message)
    if not isinstance(value, GraphTensor):
        message = f"the new value must be a tensor, but this is '{type_name(value)}'"
        return evaluator.report(rules.TYPE_MISMATCH, given["value"].span, message)
    context.updated.add(variable.value.name)
    reference = flat_graph.reference(value.name, given["value"].span)
    context.graph.update(evaluator.frame.base, call.span, (variable.value.name, variable.span), reference)
    return value


def _declared(
    evaluator: BodyEvaluator,
    block: str,
    target: nodes.Identifier,
    dtype: str,
    shape: tuple[Integer, ...],
    kind: TensorKind,
) -> GraphTensor:
    context, frame = evaluator.context, evaluator.frame
    name = context.graph.unused_name(frame.named(target.text))
    node = context.graph.declare(block, frame.base, target.span, name, dtype, shape)
    if block == "input":
        context.record.extents += shape
    if frame.chain:
        context.record.chains.append((node, frame.chain))
    return GraphTensor(name, Tensor(name, dtype, shape, kind))


def shape_of(evaluator: BodyEvaluator, given: Given) -> tuple[Integer, ...] | None:
    """Return extents that are given as an array of integers; None if they are not, which is reported."""
    value = plain(given.value)
    items = flattened(value.values) if isinstance(value, ItemList) else ()
    found = tuple(each for each in items if isinstance(each, Integer))
    if isinstance(value, ItemList) and len(found) == len(items):
        least = 1 if evaluator.context.dialect is Dialect.KHRONOS else 0
        wrong = next((each for each in found if each.value is not None and each.value < least), None)
        if wrong is None:
            return found
        evaluator.report(rules.NEGATIVE_EXTENT, given.span, f"extents must be {least} or more, but one is {wrong}")
        return None
    if not has_unknown(given.value):
        hidden = next((each.name for each in items if isinstance(each, GraphTensor) and _hides(evaluator, each)), None)
        why = f", but '{hidden}' is a tensor here: it hides the symbol of that name" if hidden else ""
        evaluator.report(rules.TYPE_MISMATCH, given.span, f"a shape is an array of integers{why}")
    return None


def _hides(evaluator: BodyEvaluator, tensor: GraphTensor) -> bool:
    return tensor.name in evaluator.context.symbols


def _dtype(evaluator: BodyEvaluator, call: nodes.Call) -> str:
    written = "scalar" if call.generic is None else call.generic.text
    if written == "?":
        written = evaluator.frame.generic or "scalar"
    return _DTYPES[written]


def _tensor(name: str) -> OperationParameter:
    return OperationParameter(name, True, False, True)


def _attribute(name: str, is_array: bool = False, is_required: bool = True) -> OperationParameter:
    return OperationParameter(name, False, is_array, is_required)


SOURCES: Mapping[str, tuple[tuple[OperationParameter, ...], Source]] = {
    "external": ((_attribute("shape", True),), _external),
    "tract_core_external": ((_attribute("datum_type", is_required=False), _attribute("shape", True)), _typed_external),
    "variable": ((_attribute("shape", True), _attribute("label")), _variable),
    "update": ((_tensor("variable"), _tensor("value")), _update),
    "constant": ((_attribute("shape", True), _attribute("value", True)), _constant),
}
