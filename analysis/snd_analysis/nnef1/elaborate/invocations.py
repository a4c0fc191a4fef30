"""Invocations of operations: each becomes a statement of the graph, and its results have the shapes that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.compose import Arguments, Member, Template, results_of
from snd_analysis.model import Tensor, TensorKind, TensorValue, as_tensor
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import ElaborationContext, Frame, origin
from snd_analysis.nnef1.elaborate.demands import demands
from snd_analysis.nnef1.elaborate.extents.unproven import fails, fails_above_zero, fitting_sizes, unproven_equations
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.casts import (
    Adjustment,
    adjustment_after,
    adjustment_before,
    cast_literal,
    casts_of_constants,
    narrow_result,
)
from snd_analysis.nnef1.elaborate.items.item_types import (
    NAMES,
    Given,
    adopted,
    dtype_of_tract,
    is_type_of_tract,
    item_type,
    mismatches,
)
from snd_analysis.nnef1.elaborate.operators import Unsuitable, attribute_value
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    KnownItems,
    NarrowInteger,
    flattened,
    has_unknown,
    tensors_in,
    type_name,
)
from snd_analysis.nnef1.syntax import Dialect, nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import NULL, CompileTime, Pack, Value, unknown

_NAMING_TYPES = ("to", "datum_type")
"""Attributes that name the type of the result, as tract writes it."""
_COMPUTED = {"slice": ("begin", "end"), "tile": ("repeats",), "tract_core_range": ("start", "end", "step")}
"""Attributes whose values tract computes when the graph runs."""


def invoke(
    context: ElaborationContext,
    frame: Frame,
    operation: nodes.Identifier,
    template: Template,
    given: Mapping[str, Given],
    target: nodes.Expression | None,
) -> ElaboratedValue:
    """Add an invocation of an operator to the graph; return its result, a tuple of them if there are several.

    ``given`` is by the names of the parameters of the operation, ``target`` the left side that the results go to.
    """
    if context.dialect is Dialect.KHRONOS:
        return _invoke(context, frame, operation, template, given, target)
    name, given = operation.text, adopted(template, _cast_constants(context, frame, operation, given))
    narrow = [narrow_result(name, template, given, each) for each in template.outputs]
    before, after = adjustment_before(name, given), adjustment_after(name, given, narrow[0])
    if before is not None:
        wide = given["input"]
        given = {**given, "input": Given(_adjusted(context, frame, operation, before, wide.value, None), wide.span)}
    value = _invoke(context, frame, operation, template, given, target if after is None else None)
    if after is not None:
        value = _adjusted(context, frame, operation, after, value, target)
    return _narrowed(value, narrow)


def _cast_constants(
    context: ElaborationContext, frame: Frame, operation: nodes.Identifier, given: Mapping[str, Given]
) -> Mapping[str, Given]:
    """Return the arguments with constants in the type that tract casts them to."""
    casts = casts_of_constants(operation.text, given)
    found = dict(given)
    template = context.template("tract_core_cast")
    for name, dtype in casts.items():
        each = given[name]
        now, before = NAMES[dtype], NAMES[item_type(each.value) or "int"]
        message = f"tract casts this constant to '{now}': its items are '{before}'"
        context.report(frame, rules.IMPLICIT_CAST, each.span, message, each.as_scalar if dtype == "real" else None)
        value = cast_literal(each.value, dtype)
        if value is None and template is not None:
            arguments = {"input": each, "to": Given("f32" if dtype == "real" else "i64", each.span)}
            named = nodes.Identifier(operation.start, operation.end, "tract_core_cast")
            value = invoke(context, frame, named, template, arguments, None)
        found[name] = Given(UNKNOWN if value is None else value, each.span, each.written)
    return found


def _adjusted(
    context: ElaborationContext,
    frame: Frame,
    operation: nodes.Identifier,
    adjustment: Adjustment,
    value: ElaboratedValue,
    target: nodes.Expression | None,
) -> ElaboratedValue:
    template = context.template(adjustment.operation)
    assert template is not None
    given = {"x": Given(value, operation.span), **adjustment.attributes}
    named = nodes.Identifier(operation.start, operation.end, adjustment.operation.lstrip("_"))
    return _invoke(context, frame, named, template, given, target)


def _narrowed(value: ElaboratedValue, narrow: Sequence[NarrowInteger | None]) -> ElaboratedValue:
    match value:
        case GraphTensor(known=None) if narrow[0] is not None:
            return replace(value, narrow=narrow[0])
        case ItemList(is_tuple=True) if len(narrow) > 1:
            parts = zip(value.values, narrow, strict=False)
            return ItemList(tuple(_narrowed(each, [of_each]) for each, of_each in parts), is_tuple=True)
        case ItemList():
            return ItemList(tuple(_narrowed(each, narrow[:1]) for each in value.values), value.is_tuple)
    return value


def _invoke(
    context: ElaborationContext,
    frame: Frame,
    operation: nodes.Identifier,
    template: Template,
    given: Mapping[str, Given],
    target: nodes.Expression | None,
) -> ElaboratedValue:
    building = _Building(context, frame, operation)
    inputs = [building.input(member, given.get(_parameter_name(member))) for member in template.inputs]
    attributes = {
        member.name: building.attribute(member, each)
        for member in template.attributes
        if (each := given.get(_parameter_name(member))) is not None
    }
    _demand_types(building, given)
    mismatch = next(mismatches(template, given, context.dialect is Dialect.KHRONOS), None)
    if mismatch is not None:
        building.report(mismatch.given, mismatch.message, mismatch.repair)
    elif not building.is_broken:
        for demand in demands(operation.text, given, context.dialect):
            building.is_broken = True
            context.report(frame, rules.ASSERTION_FAILS, demand.span, demand.message, demand.repair)
    if building.is_broken:
        return UNKNOWN
    known = {name: value for name, (value, _) in attributes.items() if value is not None}
    dtypes = _named_types(template, known)
    arguments = Arguments(dtypes, known, tuple(value for value, _ in inputs))
    specialization = context.operators.specialization(template, arguments)
    if context.symbols:
        unproven = dict.fromkeys(unproven_equations(specialization, context.symbols, arguments.inputs))
        example = ""
        if fails(specialization) or any(map(fails_above_zero, unproven)):
            sizes = fitting_sizes(context.operators, template, arguments)
            example = "" if sizes is None else " and ".join(f"{name} == {size}" for name, size in sizes.items())
        context.note_unproven(frame, operation, unproven or ([integers.constant(1)] if example else []), example)
        if example and fails(specialization):
            return UNKNOWN
    outputs: tuple[TensorValue | None, ...] = results_of(specialization)
    if not specialization.valid or len(outputs) != len(template.outputs):
        outputs = (None,) * len(template.outputs)
    names = _Names(context, frame, operation, target)
    results = [names.result(at, len(outputs), output, template.outputs[at]) for at, output in enumerate(outputs)]
    call = flat_graph.invocation(
        flat_nodes.Name(operation.start, operation.end, template.name.name),
        [(name, node) for name, (_, node) in attributes.items()],
        [node for _, node in inputs],
        dtypes,
    )
    left = [each.names if isinstance(each, _PackResult) else each.name for each in results]
    component = context.graph.assign(frame.base, operation.span, left, call)
    if frame.chain:
        context.record.chains.append((component, frame.chain))
    values = [each.value for each in results]
    return values[0] if len(values) == 1 else ItemList(tuple(values), is_tuple=True)


def materialized(
    context: ElaborationContext, frame: Frame, value: GraphTensor, span: Span, target: nodes.Expression | None
) -> GraphTensor:
    """Return a tensor whose items are known as the result of an operation of the graph."""
    assert value.known is not None
    context.record.uses_made = True
    made = context.made.get(value)
    if made is None:
        made = _constant(context, frame, value.known.shape, value.known.items, span, target)
        context.made[value] = made
        context.record.made.append((value, made))
    return made


def constant_of(
    context: ElaborationContext, frame: Frame, value: ItemList, span: Span, target: nodes.Expression | None
) -> GraphTensor | None:
    """Return the constant that a nested list of numbers denotes in tract's dialect; None if it denotes none."""
    shape = _literal_shape(value)
    return None if shape is None else _constant(context, frame, shape, flattened(value.values), span, target)


def _constant(
    context: ElaborationContext,
    frame: Frame,
    shape: tuple[int, ...],
    items: tuple[ElaboratedValue, ...],
    span: Span,
    target: nodes.Expression | None,
) -> GraphTensor:
    template = context.template("constant")
    assert template is not None
    given = {
        "shape": Given(ItemList(tuple(map(integers.constant, shape))), span),
        "value": Given(ItemList(items), span),
    }
    made = invoke(context, frame, nodes.Identifier(span.start, span.end, "constant"), template, given, target)
    return made if isinstance(made, GraphTensor) else GraphTensor("", None)


def _named_types(template: Template, attributes: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the generic type that no input has, but an attribute names: ``to = "f32"``."""
    members = (*template.inputs, *template.attributes)
    open_ = [each for each in template.generics if all(member.node.type.text != each.name.text for member in members)]
    written = next((attributes[name] for name in _NAMING_TYPES if isinstance(attributes.get(name), str)), None)
    if not open_ or not isinstance(written, str):
        return ()
    found = dtype_of_tract(written)
    return () if found is None else (found,)


def _demand_types(building: _Building, given: Mapping[str, Given]) -> None:
    """Report names of types that tract does not know."""
    for each in (given[name] for name in _NAMING_TYPES if name in given):
        if isinstance(each.value, str) and not is_type_of_tract(each.value):
            building.report(each, f"'{each.value}' is no type of tract")


def _parameter_name(member: Member) -> str:
    return member.name.removesuffix("_")


# ---- arguments -------------------------------------------------------------------------------------------------------
class _Building:
    """Conversion of values into arguments for composing, and into nodes for them."""

    def __init__(self, context: ElaborationContext, frame: Frame, operation: nodes.Identifier) -> None:
        self.is_broken = False
        self._context = context
        self._frame = frame
        self._operation = operation
        self._is_of_tract = context.dialect is Dialect.TRACT

    def input(
        self, member: Member, given: Given | None
    ) -> tuple[TensorValue, flat_nodes.Expression | flat_nodes.Tilde]:
        """Return an argument as a tensor or a pack of them."""
        if given is None or (member.node.optional and given.value == 0.0):
            return NULL, flat_graph.omitted(self._operation.span if given is None else given.span)
        if has_unknown(given.value):
            return self._broken()
        if member.node.pack is None:
            return self._tensor(given.value, given.span, member.name)
        if not isinstance(given.value, ItemList):
            return self._wrong(given, f"'{member.name}' must be an array of tensors, but this is no array")
        if not given.value.values:
            return self._wrong(given, f"'{member.name}' must have at least one tensor")
        items = [self._tensor(each, given.span, f"{member.name}[{at}]") for at, each in enumerate(given.value.values)]
        dtype = next((value.dtype for value, _ in items if isinstance(value, Tensor)), None)
        pack = Pack([value for value, _ in items], dtype=dtype)
        return pack, flat_graph.array([node for _, node in items], given.span)  # type: ignore[misc]

    def attribute(self, member: Member, given: Given) -> tuple[Value | None, flat_nodes.Expression]:
        """Return the value of an attribute."""
        if has_unknown(given.value):
            self.is_broken = True
        else:
            stored = self._in_a_missing_file(member, given)
            if stored is not None:
                return stored
            try:
                value = attribute_value(member, plain(given.value), not self._is_of_tract)
                return value, flat_graph.expression(value, given.span)
            except Unsuitable as unsuitable:
                if self._is_computed(member, given.value):
                    self.is_broken = True
                    return None, flat_graph.expression("", given.span)
                if self._is_of_tract and any(map(_is_stored, tensors_in(given.value))):
                    self.is_broken = True  # the items are in a file that is not there
                    return None, flat_graph.expression("", given.span)
                self.report(given, str(unsuitable), _repair(member, origin(self._frame, given)[1]))
        return None, flat_graph.expression("", given.span)

    def _is_computed(self, member: Member, value: ElaboratedValue) -> bool:
        """Return whether tract computes an attribute when the graph runs. Nothing is known of the result then."""
        tensors = [each for each in tensors_in(value) if each.known is None]
        of_integers = all(each.tensor is not None and each.tensor.dtype == "int" for each in tensors)
        is_taken = member.name in _COMPUTED.get(self._operation.text, ())
        return self._is_of_tract and is_taken and bool(tensors) and of_integers

    def _in_a_missing_file(self, member: Member, given: Given) -> tuple[Value, flat_nodes.Expression] | None:
        """Return an attribute of the graph, without a value, for a number whose tensor file is missing."""
        value = given.value
        if not isinstance(value, GraphTensor) or value.known is not None or member.node.pack is not None:
            return None
        tensor, dtype = value.tensor, member.node.type.text
        if tensor is None or tensor.kind is not TensorKind.VARIABLE or tensor.shape != () or tensor.dtype != dtype:
            return None
        self._context.record.is_lasting = False
        name = self._context.attributes.get(value.name)
        if name is None:
            name = self._context.attributes[value.name] = self._context.graph.unused_name(f"{value.name}.value")
            self._context.graph.declare("attrib", self._frame.base, given.span, name, dtype, None)
        return unknown(dtype, CompileTime(name), name), flat_graph.reference(name, given.span)

    def _tensor(
        self, value: ElaboratedValue, span: Span, name: str
    ) -> tuple[TensorValue, flat_nodes.Expression | flat_nodes.Tilde]:
        match value:
            case GraphTensor(name="", known=KnownItems()):
                return self._tensor(materialized(self._context, self._frame, value, span, None), span, name)
            case GraphTensor(tensor=Tensor() as tensor):
                return tensor, flat_graph.reference(value.name, span)
            case Integer() | float() | Truth() | str():
                return as_tensor(value, name), flat_graph.expression(value, span)
            case ItemList(is_tuple=False) if self._is_of_tract and (shape := _literal_shape(value)) is not None:
                made = self._constant(shape, value, span)
                if made.tensor is not None:
                    return made.tensor, flat_graph.reference(made.name, span)
        return self._wrong(Given(value, span), f"'{name}' must be a tensor, but this is '{type_name(value)}'")

    def _constant(self, shape: tuple[int, ...], value: ItemList, span: Span) -> GraphTensor:
        """Return the constant that a nested list of numbers denotes in tract's dialect."""
        return _constant(self._context, self._frame, shape, flattened(value.values), span, None)

    def _wrong(self, given: Given, message: str) -> tuple[TensorValue, flat_nodes.Tilde]:
        self.report(given, message)
        return self._broken()

    def _broken(self) -> tuple[TensorValue, flat_nodes.Tilde]:
        self.is_broken = True
        return NULL, flat_graph.omitted(self._operation.span)

    def report(self, given: Given, message: str, repair: Repair | None = None) -> None:
        """Note that an argument is of the wrong type, where it is written."""
        self.is_broken = True
        frame, written = origin(self._frame, given)
        if frame is not self._frame and repair is not None:
            repair = written.as_scalar
        message = f"{message} (in '{self._operation.text}')"
        self._context.report(frame, rules.TYPE_MISMATCH, written.span, message, repair)


def _repair(member: Member, given: Given) -> Repair | None:
    """Return the repair of an attribute that NNEF 1.0 does not allow: write a scalar, or an array of one item."""
    if member.node.type.text == "real":
        return given.as_scalar
    if member.node.pack is None or isinstance(given.value, ItemList):
        return None
    start, end = given.span.start, given.span.end
    return Repair("Write an array of one item", (Edit(Span(start, start), "["), Edit(Span(end, end), "]")))


def _is_stored(tensor: GraphTensor) -> bool:
    """Return whether a tensor is a variable whose items are not known."""
    return tensor.known is None and tensor.tensor is not None and tensor.tensor.kind is TensorKind.VARIABLE


def _literal_shape(value: ElaboratedValue) -> tuple[int, ...] | None:
    """Return the extents of a nested list of numbers; None if ``value`` is not one."""
    if not isinstance(value, ItemList):
        return () if isinstance(value, Integer | float | Truth | str) else None
    rows = {_literal_shape(each) for each in value.values}
    row = rows.pop() if len(rows) == 1 else None
    return None if row is None or value.is_tuple else (len(value.values), *row)


# ---- results ---------------------------------------------------------------------------------------------------------
class _SingleResult(Struct, frozen=True):
    name: tuple[str, Span]
    value: ElaboratedValue


class _PackResult(Struct, frozen=True):
    names: list[tuple[str, Span]]
    value: ElaboratedValue


class _Names:
    """The names of results: of the assigned identifiers, or of the operation."""

    def __init__(
        self, context: ElaborationContext, frame: Frame, operation: nodes.Identifier, target: nodes.Expression | None
    ) -> None:
        self._context = context
        self._frame = frame
        self._operation = operation
        self._target = target

    def result(self, at: int, count: int, output: TensorValue | None, member: Member) -> _SingleResult | _PackResult:
        target = self._target
        if count > 1:
            target = _item(target, at)
        if member.node.pack is None:
            name = self._name(target)
            return _SingleResult((name, self._span(target)), self._tensor(name, output))
        items = output.items if isinstance(output, Pack) else None
        wanted = target.items if isinstance(target, nodes.Array | nodes.Tuple) else ()
        length = len(wanted) if items is None else len(items)
        names = [(self._name(_item(target, number)), self._span(_item(target, number))) for number in range(length)]
        values = [
            self._tensor(name, None if items is None else items[number]) for number, (name, _) in enumerate(names)
        ]
        if items is None and not wanted:
            return _PackResult(names, UNKNOWN)
        return _PackResult(names, ItemList(tuple(values)))

    def _name(self, target: nodes.Expression | None) -> str:
        frame = self._frame
        wanted = frame.named(target.text) if isinstance(target, nodes.Identifier) else None
        return self._context.graph.unused_name(wanted or f"{frame.making or 'result'}.{self._operation.text}")

    def _span(self, target: nodes.Expression | None) -> Span:
        return target.span if isinstance(target, nodes.Identifier) else self._operation.span

    def _tensor(self, name: str, output: object) -> GraphTensor:
        if not isinstance(output, Tensor) or output.shape is None:
            return GraphTensor(name, None)
        return GraphTensor(name, Tensor(name, output.dtype, output.shape, TensorKind.RESULT))


def _item(target: nodes.Expression | None, at: int) -> nodes.Expression | None:
    items: Sequence[nodes.Expression] = target.items if isinstance(target, nodes.Array | nodes.Tuple) else ()
    return items[at] if at < len(items) else None
