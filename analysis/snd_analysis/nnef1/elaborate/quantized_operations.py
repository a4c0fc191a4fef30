"""Operations of tract on quantized tensors, as operations on their codes.

A tensor that ``graph.quant`` names has a quantized type in tract, and the graph of SkriptND has its codes as integers.
A cast to that type quantizes reals, a cast to another type gives reals or the codes. Operations that only move items
move codes, and ``conv`` and ``tract_core_qconv`` compute with codes. tract rounds the results of others in its own way:
they have their shapes here, and no values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate.context import ElaborationContext, Frame
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.casts import ON_ELEMENTS
from snd_analysis.nnef1.elaborate.items.item_types import Given, dtype_of_tract, item_type
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    QuantizedType,
    tensors_in,
)
from snd_analysis.nnef1.syntax import QuantizationFile, nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer

CAST = "tract_core_cast"
_ZERO_POINT = "zero_point_linear_quantize"
_MOVING = frozenset(
    [
        "reshape", "transpose", "squeeze", "unsqueeze", "slice", "tile", "stack", "unstack", "concat", "copy",
        "tract_core_broadcast", "tract_core_gather", "tract_core_downsample", "tract_core_dyn_slice",
    ]
)  # fmt: skip
"""Operations whose results have the items of an input, at other places."""
_ON_CODES = frozenset(["tract_core_qconv"])
ON_EXTENTS = frozenset(["tract_core_shape_of"])
"""Operations that do not look at items."""


def quantized_types(file: QuantizationFile | None) -> dict[str, QuantizedType]:
    """Return the types that the lines of a file with zero points give to tensors; the last line of a name counts."""
    found: dict[str, QuantizedType] = {}
    for _, line in () if file is None else file.lines:
        name = line.tensor.value if isinstance(line.tensor, nodes.String) else line.tensor.text
        type_ = _type(line.operation)
        if type_ is not None:
            found[name] = type_
    return found


def _type(call: nodes.Call) -> QuantizedType | None:
    numbers: dict[str, float] = {}
    for argument in call.arguments:
        number = _number(argument.value)
        if argument.name is not None and number is not None:
            numbers[argument.name.text] = number
    names = ("scale", "zero_point", "bits", "signed")
    if call.function.text != _ZERO_POINT or any(name not in numbers for name in names):
        return None
    scale, zero_point, bits, signed = (numbers[name] for name in names)
    return QuantizedType(scale, int(zero_point), int(bits), bool(signed)) if bits in (8, 32) and scale > 0 else None


def _number(node: nodes.Expression) -> float | None:
    match node:
        case nodes.Number(text=text):
            return float(text)
        case nodes.Unary(operator="-", operand=nodes.Number(text=text)):
            return -float(text)
        case nodes.Logical(value=known):
            return float(known)
    return None


def type_of_target(context: ElaborationContext, frame: Frame, target: nodes.Expression | None) -> QuantizedType | None:
    """Return the quantized type of the tensor of the graph that a statement assigns."""
    if frame.chain or not isinstance(target, nodes.Identifier):
        return None
    return context.names.quantized_types.get(target.text)


def has_quantized(given: Mapping[str, Given]) -> bool:
    """Return whether an argument is quantized."""
    return any(each.quantized is not None for one in given.values() for each in tensors_in(one.value))


def invoke_quantized(
    context: ElaborationContext,
    frame: Frame,
    operation: nodes.Identifier,
    given: Mapping[str, Given],
    target: nodes.Expression | None,
) -> ElaboratedValue:
    """Add an invocation with a quantized argument or result to the graph; return its result."""
    wanted, name = type_of_target(context, frame, target), operation.text
    types = {each.quantized for one in given.values() for each in tensors_in(one.value)} - {None}
    operations = _Operations(context, frame, operation, target)
    if name in (CAST, "copy") and wanted is not None:
        to = given.get("to")
        plain = f"{'i' if wanted.is_signed else 'u'}{wanted.bits}"
        if to is not None and isinstance(to.value, str) and dtype_of_tract(to.value) and to.value.lower() != plain:
            message = f"graph.quant gives this tensor items of '{plain}', but here they are '{to.value}'"
            context.report(frame, rules.TYPE_MISMATCH, to.span, message)
            return UNKNOWN
        return operations.quantized(given["input" if name == CAST else "x"], wanted)
    if name == CAST:
        written = given["to"].value if "to" in given else None
        if isinstance(written, str) and dtype_of_tract(written) == "real":
            return operations.reals(given["input"])
        return operations.plain(given)
    if name in _ON_CODES:
        return operations.plain(given)
    if name in ON_ELEMENTS and operations.mixes_reals(given):
        return operations.on_reals(given)
    if name in _MOVING and len(types) == 1 and wanted in (None, *types):
        return with_type(operations.plain(given), next(iter(types)))
    if name == "conv" and wanted is not None:
        return operations.conv(given, wanted)
    return operations.shape_only(given, wanted)


def with_type(value: ElaboratedValue, type_: QuantizedType | None) -> ElaboratedValue:
    """Return a tensor, or the tensors of a list, with a quantized type."""
    match value:
        case GraphTensor():
            return replace(value, quantized=type_)
        case ItemList(values=values):
            return replace(value, values=tuple(with_type(each, type_) for each in values))
    return value


class _Operations:
    """Operations of the library that take the place of an invocation with quantized tensors."""

    def __init__(
        self, context: ElaborationContext, frame: Frame, operation: nodes.Identifier, target: nodes.Expression | None
    ) -> None:
        self._context = context
        self._frame = frame
        self._operation = operation
        self._target = target

    def plain(self, given: Mapping[str, Given]) -> ElaboratedValue:
        """Return the result of the operation itself on codes."""
        codes = {name: replace(each, value=with_type(each.value, None)) for name, each in given.items()}
        return self._invoked(self._operation.text, codes, self._target)

    def reals(self, given: Given, is_inner: bool = False) -> ElaboratedValue:
        """Return the reals of codes."""
        type_ = _quantized_type(given.value)
        assert type_ is not None
        arguments = {
            "x": replace(given, value=with_type(given.value, None)),
            "scale": Given(type_.scale, given.span),
            "zero_point": Given(integers.constant(type_.zero_point), given.span),
        }
        return self._invoked("_dequantized", arguments, None if is_inner else self._target)

    def mixes_reals(self, given: Mapping[str, Given]) -> bool:
        """Return whether reals that the graph computes stand beside a quantized tensor."""
        values = [each.value for each in given.values()]
        return any(
            isinstance(each, GraphTensor) and each.quantized is None and each.known is None and not _is_variable(each)
            for each in values
            if item_type(each) == "real"
        )

    def on_reals(self, given: Mapping[str, Given]) -> ElaboratedValue:
        """Return the result of an operation of reals and a quantized variable, which tract casts. Report others."""
        quantized = [each for each in given.values() if _quantized_type(each.value) is not None]
        wrong = next((each for each in quantized if not _is_variable(each.value)), None)
        if wrong is not None:
            message = f"tract has no common type for this quantized tensor and scalars (in '{self._operation.text}')"
            self._context.report(self._frame, rules.TYPE_MISMATCH, wrong.span, message)
            return UNKNOWN
        reals = {
            name: each if _quantized_type(each.value) is None else replace(each, value=self.reals(each, is_inner=True))
            for name, each in given.items()
        }
        return self._invoked(self._operation.text, reals, self._target)

    def quantized(self, given: Given, wanted: QuantizedType) -> ElaboratedValue:
        """Return a tensor in a quantized type: reals are quantized, codes of other types by their reals."""
        type_, narrow = _quantized_type(given.value), getattr(given.value, "narrow", None)
        is_code = narrow is not None and (narrow.bits, narrow.is_signed) == (wanted.bits, wanted.is_signed)
        if type_ == wanted or (type_ is None and is_code):
            codes = {"x": replace(given, value=with_type(given.value, None))}
            return with_type(self._invoked("copy", codes, self._target), wanted)
        is_exact = type_ is None or (type_.bits == wanted.bits == 8 and type_.is_signed is not wanted.is_signed)
        if not is_exact or (type_ is None and item_type(given.value) != "real"):
            return self.shape_only({"x": given}, wanted, "copy")
        span = given.span
        units = {
            "x": given if type_ is None else replace(given, value=self.reals(given, is_inner=True)),
            "scale": Given(wanted.scale, span),
            "zero_point": Given(integers.constant(wanted.zero_point), span),
        }
        rounded = self._invoked(
            "tract_core_round_even", {"x": Given(self._invoked("_code_units", units, None), span)}, None
        )
        limits = {"least": wanted.least, "greatest": wanted.greatest}
        arguments = {name: Given(integers.constant(number), span) for name, number in limits.items()}
        return with_type(self._invoked("_codes", {"x": Given(rounded, span), **arguments}, self._target), wanted)

    def conv(self, given: Mapping[str, Given], wanted: QuantizedType) -> ElaboratedValue:
        """Return a convolution of codes of 8 bits, as ``tract_core_qconv`` computes it; others have a shape only."""
        types = [_quantized_type(given[name].value) for name in ("input", "filter")]
        bias = given.get("bias")
        scales = _bias_scale(bias)
        input_, filter_ = types
        if input_ is None or filter_ is None or {input_.bits, filter_.bits, wanted.bits} != {8}:
            return self.shape_only(given, wanted)
        if scales is not None and abs(scales - input_.scale * filter_.scale) > 1e-6 * scales:
            return self.shape_only(given, wanted)
        if bias is not None and scales is None and bias.value != 0.0:
            return self.shape_only(given, wanted)
        span = self._operation.span
        numbers: dict[str, ElaboratedValue] = {"output_dt": f"{'i' if wanted.is_signed else 'u'}8"}
        for name, type_ in (("a", filter_), ("b", input_), ("c", wanted)):
            numbers[f"{name}0"] = integers.constant(type_.zero_point)
            numbers[f"{name}_scale"] = type_.scale
        codes = {
            name: replace(each, value=with_type(each.value, None))
            for name, each in given.items()
            if name != "bias" or scales is not None
        }
        added = {name: Given(value, span) for name, value in numbers.items()}
        return with_type(self._invoked("tract_core_qconv", {**codes, **added}, self._target), wanted)

    def shape_only(
        self, given: Mapping[str, Given], wanted: QuantizedType | None, operation: str | None = None
    ) -> ElaboratedValue:
        """Return a result that has a shape and no values: tract computes it from codes in its own way."""
        types = [each.quantized for one in given.values() for each in tensors_in(one.value) if each.quantized]
        with self._context.scratch():
            as_reals = {name: replace(each, value=_as_reals(each.value)) for name, each in given.items()}
            found = self._invoked(operation or self._operation.text, as_reals, None)
        type_ = wanted or next(iter(types), None)
        if isinstance(found, ItemList):
            return ItemList((UNKNOWN,) * len(found.values), is_tuple=True)
        first = next((each for one in given.values() for each in tensors_in(one.value) if each.name), None)
        extents = _extents(found)
        if first is None or extents is None:
            return UNKNOWN
        span = self._operation.span
        arguments = {
            "input": Given(replace(first, quantized=None), span),
            "shape": Given(ItemList(tuple(extents)), span),
        }
        return with_type(self._invoked("_of_quantized", arguments, self._target), type_)

    def _invoked(self, operation: str, given: Mapping[str, Given], target: nodes.Expression | None) -> ElaboratedValue:
        template = self._context.template(operation)
        assert template is not None
        named = nodes.Identifier(self._operation.start, self._operation.end, operation.lstrip("_"))
        return invoke(self._context, self._frame, named, template, given, target)


def _is_variable(value: ElaboratedValue) -> bool:
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    return tensor is not None and tensor.kind is TensorKind.VARIABLE


def _bias_scale(bias: Given | None) -> float | None:
    """Return the scale of a quantized bias."""
    type_ = None if bias is None else _quantized_type(bias.value)
    return None if type_ is None else type_.scale


def _quantized_type(value: ElaboratedValue) -> QuantizedType | None:
    return value.quantized if isinstance(value, GraphTensor) else None


def _as_reals(value: ElaboratedValue) -> ElaboratedValue:
    """Return quantized tensors as tensors of reals, for their shapes."""
    match value:
        case GraphTensor(tensor=Tensor() as tensor) if value.quantized is not None:
            return GraphTensor(value.name, replace(tensor, dtype="real"))
        case ItemList(values=values):
            return replace(value, values=tuple(map(_as_reals, values)))
    return value


def _extents(value: ElaboratedValue) -> Sequence[Integer] | None:
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    if tensor is None or tensor.shape is None:
        return None
    found = [each for each in tensor.shape if isinstance(each, Integer)]
    return found if len(found) == len(tensor.shape) else None
