"""Fragments as operators, if the shapes of their results can be declared.

All invocations of a fragment with the same statements share an operator. Its inputs and outputs have the most general
shapes of three kinds for which the operator is right: one shape for all, extents by name, or numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import count
from math import isfinite

from msgspec import Struct, field

from snd_analysis.convert.comments import Comments
from snd_analysis.convert.module_text import GraphText, Lines, Writer
from snd_analysis.convert.steps import (
    DefinitionNames,
    InvocationStep,
    LocalStep,
    LoopStep,
    named_tensors,
    plain_steps,
    statement_names,
)
from snd_analysis.model import Operation, Tensor, TensorKind, tensors_of
from snd_analysis.nnef1.elaborate import FragmentCall, GraphTensor, ItemList
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import format_value

_Column = tuple[str, str, str]
"""A tensor of an operator: ``input`` or ``output``, its name, and its type."""


class Attribute(Struct, frozen=True):
    """A value in an invocation, with its type; both as text."""

    dtype: str
    value: str


class Body(Struct):
    """One converted invocation of a fragment."""

    call: FragmentCall
    operations: Sequence[Operation]
    inputs: list[tuple[str, Tensor]]
    outputs: list[tuple[str, Tensor]]
    attributes: dict[str, Attribute]
    steps: list[tuple[Operation, InvocationStep | LoopStep]] = field(default_factory=list)
    statements: tuple[str, ...] = ()


class Fragments:
    """The choice of fragments whose invocations become invocations of operators."""

    def __init__(
        self,
        taken: DefinitionNames,
        is_right: Callable[[GraphText], bool],
        steps: Callable[[Sequence[Operation], Iterable[Tensor]], list[tuple[Operation, InvocationStep | LoopStep]]],
        spelled: Callable[[Operation], Set[str]],
        comments: Comments,
        reserved: Iterable[str],
    ) -> None:
        """Prepare the choice.

        ``spelled`` has the names and numbers in the statement of a fragment that an operation comes from.
        """
        self.operators: list[GraphText] = []
        self._taken = taken
        self._is_right = is_right
        self._steps = steps
        self._spelled = spelled
        self._comments = comments
        self._reserved = frozenset(reserved)

    def replaced(self, bodies: Iterable[Body]) -> Iterator[tuple[FragmentCall, LocalStep]]:
        """Yield the invocations that become invocations of operators; these are then in ``operators``."""
        yield from self._operators([body for body in bodies if self._is_suitable(body)])

    def _operators(self, bodies: Iterable[Body]) -> Iterator[tuple[FragmentCall, LocalStep]]:
        for group in self._alike(bodies):
            operator = self._operator(group)
            if operator is not None:
                yield from self._invocations(operator, group)
            elif group[0].attributes:
                # With the values of its attributes in their places, more is known of the shapes.
                for body in group:
                    body.attributes = {}
                yield from self._operators(group)

    def _alike(self, bodies: Iterable[Body]) -> list[list[Body]]:
        groups: dict[tuple[object, ...], list[Body]] = {}
        for body in bodies:
            groups.setdefault(self._key(body), []).append(body)
        return [*groups.values()]

    def _invocations(self, operator: GraphText, group: Sequence[Body]) -> Iterator[tuple[FragmentCall, LocalStep]]:
        self.operators.append(operator)
        for body in group:
            inputs = tuple(tensor for _, tensor in body.inputs)
            outputs = tuple(tensor for _, tensor in body.outputs)
            given = {_attribute_name(name): each.value for name, each in body.attributes.items()}
            yield body.call, LocalStep(operator.name.partition(" ")[2], given, inputs, outputs)

    def _is_suitable(self, body: Body) -> bool:
        """Work out the statements of a body; return whether it can be an operator."""
        body.steps = self._steps(body.operations, [tensor for _, tensor in body.outputs])
        made = {tensor for _, step in body.steps for value in step.outputs for tensor in tensors_of(value)}
        taken = {tensor for _, step in body.steps for value in step.inputs for tensor in tensors_of(value)}
        known = {tensor for _, tensor in body.inputs}
        free = {each for each in taken - made - known if each.kind is not TensorKind.CONSTANT or each.shape != ()}
        if free or not made.issuperset(tensor for _, tensor in body.outputs):
            return False
        body.inputs = [(name, tensor) for name, tensor in body.inputs if tensor in taken]
        return True

    def _key(self, body: Body) -> tuple[object, ...]:
        """Return the key that bodies with a common operator share. Attributes that no statement has are left out."""
        writer = self._writer(body)
        statements = []
        used: set[str] = set()
        for operation, step in body.steps:
            spelled = self._spelled(operation)
            names = {
                each.value: _attribute_name(name)
                for name, each in body.attributes.items()
                if name in spelled and each.value not in spelled
            }
            plain, named = writer.statement(step), writer.statement(step, names)
            statements.append(named)
            used |= {name for value, name in names.items() if writer.statement(step, {value: name}) != plain}
        body.statements = tuple(statements)
        body.attributes = {name: each for name, each in body.attributes.items() if _attribute_name(name) in used}
        columns = [(name, tensor.dtype) for name, tensor in (*body.inputs, *body.outputs)]
        attributes = [(name, each.dtype) for name, each in body.attributes.items()]
        return body.call.place.fragment, body.statements, *attributes, *columns

    def _writer(self, body: Body) -> Writer:
        writer = Writer(DefinitionNames({*self._reserved, *map(_attribute_name, body.attributes)}))
        for name, tensor in (*body.inputs, *body.outputs):
            writer.name(tensor, name)
        made = [tensor for _, step in body.steps for tensor in named_tensors(step)]
        local = {tensor: tensor.name.removeprefix(body.call.prefix) for tensor in made}
        better = statement_names([local[each] for each in made if writer.known(each) is None])
        for tensor, name in local.items():
            writer.name(tensor, better.get(name, name))
        return writer

    # ---- the operator ------------------------------------------------------------------------------------------------
    def _operator(self, group: Sequence[Body]) -> GraphText | None:
        first = group[0]
        writer = self._writer(first)
        shapes: list[list[tuple[str, ...] | None]] = [[] for _ in (*first.inputs, *first.outputs)]
        for body in group:
            for column, (_, tensor) in zip(shapes, (*body.inputs, *body.outputs), strict=True):
                column.append(_extents(tensor))
        known = [[each for each in column if each is not None] for column in shapes]
        if not first.inputs or any(len(column) < len(group) for column in known):
            return None
        fragment = first.call.place.fragment
        text = GraphText(f"operator {DefinitionNames(self._reserved).new(fragment)}")
        text.modules = {each.module for each in plain_steps(step for _, step in first.steps)}
        for each, attribute in first.attributes.items():
            text.block("attrib").add(f"{_attribute_name(each)}: {attribute.dtype};")
        text.blocks["compose"] = Lines([*first.statements])
        tensors = [("input", each, tensor) for each, tensor in first.inputs]
        tensors += [("output", each, tensor) for each, tensor in first.outputs]
        columns: list[_Column] = [(kind, writer.name(tensor), tensor.dtype or "real") for kind, _, tensor in tensors]
        reserved = {*self._reserved, *map(_attribute_name, first.attributes)}
        for declared in (_one_shape(known), _by_name(known, columns, reserved), _numbers(known)):
            if declared is not None:
                _declare(text, columns, declared)
                if self._is_right(text):
                    text.name = f"operator {self._taken.new(fragment)}"
                    self._comment(text, first)
                    return text
        return None

    def _comment(self, text: GraphText, body: Body) -> None:
        """Add the comments about a fragment and its statements."""
        text.documentation += self._comments.of_fragment(body.call.place.fragment)
        text.blocks["compose"] = Lines()
        for (operation, _), statement in zip(body.steps, body.statements, strict=True):
            about = self._comments.about(operation.place.start)
            text.block("compose").add(statement, about.above, about.behind)


def _declare(text: GraphText, columns: Sequence[_Column], shapes: Sequence[str]) -> None:
    for kind in ("input", "output"):
        text.blocks.pop(kind, None)
    for (kind, name, dtype), shape in zip(columns, shapes, strict=True):
        text.block(kind).add(f"{name}: {dtype}[{shape}];")


def _extents(tensor: Tensor) -> tuple[str, ...] | None:
    if tensor.shape is None or not all(isinstance(each, Integer) for each in tensor.shape):
        return None
    return tuple(map(str, tensor.shape))


def _one_shape(shapes: Sequence[Sequence[tuple[str, ...]]]) -> list[str] | None:
    """Return ``s..`` for all tensors but scalars if these have the same shape, else None."""
    others = {tuple(column) for column in shapes if any(column)}
    return ["s.." if any(column) else "" for column in shapes] if len(others) <= 1 else None


def _by_name(
    shapes: Sequence[Sequence[tuple[str, ...]]], columns: Sequence[_Column], reserved: Iterable[str]
) -> list[str] | None:
    """Name the extents. Extents that are always equal share a name; extents that are always 1 get none."""
    names = DefinitionNames([*reserved, *(name for _, name, _ in columns)])
    fresh = (f"n{number}" for number in count(1))
    known: dict[tuple[str, ...], str] = {}
    found: list[str] = []
    for (kind, _, _), column in zip(columns, shapes, strict=True):
        if len({len(each) for each in column}) > 1:
            return None
        parts = []
        for at in range(len(column[0])):
            extents = tuple(each[at] for each in column)
            if set(extents) == {"1"}:
                parts.append("1")
                continue
            if extents not in known:
                if kind == "output":
                    if len(set(extents)) > 1 or not extents[0].isdigit():
                        return None
                    parts.append(extents[0])
                    continue
                same = len(set(extents)) == 1 and extents[0].isidentifier()
                known[extents] = extents[0] if same else names.new(next(fresh))
            parts.append(known[extents])
        found.append(", ".join(parts))
    return found


def _numbers(shapes: Sequence[Sequence[tuple[str, ...]]]) -> list[str] | None:
    """Return the shapes if every invocation has the same extents, all of them numbers, else None."""
    if any(len(set(column)) > 1 or not all(map(str.isdigit, column[0])) for column in shapes):
        return None
    return [", ".join(column[0]) for column in shapes]


def bodies(
    calls: Sequence[FragmentCall],
    parameters: Mapping[str, Sequence[str]],
    results: Mapping[str, Sequence[str]],
    tensors: Mapping[str, object],
    numbers: Mapping[Tensor, Tensor],
    operations: Callable[[FragmentCall], Sequence[Operation]],
) -> Iterator[Body]:
    """Yield the invocations whose arguments are single tensors and numbers, if their places are distinct.

    ``parameters`` and ``results`` are the names of these by fragments. ``numbers`` maps tensors to the numbers they
    hold.
    """
    places = [each.place for each in calls]
    for call in calls:
        name = call.place.fragment
        if places.count(call.place) > 1 or name not in parameters:
            continue
        given = [(each, call.parameters.get(each)) for each in parameters[name]]
        inputs = [(each, tensors.get(value.name)) for each, value in given if isinstance(value, GraphTensor)]
        outputs = [
            (each, tensors.get(value.name) if isinstance(value, GraphTensor) else None)
            for each, value in zip(results[name], call.results, strict=False)
        ]
        found = operations(call)
        if not found or not outputs or len({id(tensor) for _, tensor in outputs}) < len(outputs):
            continue
        one = [(each, tensor) for each, tensor in inputs if isinstance(tensor, Tensor)]
        other = [(each, tensor) for each, tensor in outputs if isinstance(tensor, Tensor)]
        if len(other) == len(outputs):
            kept = ((each, numbers.get(tensor)) for each, tensor in one)
            values = [*given, *((each, number.value) for each, number in kept if number is not None)]
            attributes = ((each, _attribute(value)) for each, value in values)
            yield Body(call, found, one, other, {each: value for each, value in attributes if value is not None})


def _attribute(value: object) -> Attribute | None:
    """Return a value as a value of an attribute; None for tensors, and for values that depend on symbols."""
    match value:
        case Integer(value=int()):
            return Attribute("int", format_value(value))
        case Truth() if value in (TRUE, FALSE):
            return Attribute("bool", format_value(value))
        case float() if isfinite(value):
            return Attribute("real", format_value(value))
        case str():
            return Attribute("str", format_value(value, quoted=True))
        case ItemList(values=values) if values:
            items = [_attribute(each) for each in values]
            dtypes = {None if each is None else each.dtype for each in items}
            if len(dtypes) == 1 and dtypes <= {"int", "real", "bool", "str"}:
                return Attribute(
                    f"{dtypes.pop()}..", f"[{', '.join(each.value for each in items if each is not None)}]"
                )
    return None


def _attribute_name(name: str) -> str:
    """Return the name of an attribute, which must be no keyword."""
    return DefinitionNames().new(name)
