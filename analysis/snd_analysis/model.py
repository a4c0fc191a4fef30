"""The model that composing a graph produces (chapter 3 of the draft): tensors, operations, graphs.

Shapes are rows of extents. An extent is a symbolic integer: a number where it is static, an expression over the dynamic
extents of inputs and results otherwise; a ``Run`` is a symbolic number of dimensions, which occurs only where an
operator is composed without a caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import OperatorName, Span
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import (
    UNDEFINED,
    ItemRun,
    Maybe,
    Null,
    Pack,
    Positioned,
    Undefined,
    Value,
    choose,
    dtype_of,
    positional,
)


# ---- places of the parts of a model in the text ----------------------------------------------------------------------
class Spanned(Protocol):
    """A part of a text, known by identity."""

    @property
    def span(self) -> Span:
        """Span of the place."""


class Place(Struct, frozen=True):
    """A place in a definition: ``span`` counts from the start of the definition's chunk.

    A place in a ``statement``, which stood at ``start`` then, can be found again in a later version of the definition.
    """

    path: str
    definition: str
    span: Span
    statement: Spanned | None = None
    start: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, str, Span]:
        return self.path, self.definition, self.span

    def lasts_as(self, other: Place | None) -> bool:
        """Return whether another place is the same part of the same statement, wherever that stands now."""
        return (
            other is not None
            and self.statement is not None
            and self.statement is other.statement
            and self.span.shifted(other.start - self.start) == other.span
        )


# ---- tensors, packs of them, and their shapes (2.5, 2.6) -------------------------------------------------------------
Shape: TypeAlias = "tuple[Integer | ItemRun, ...]"
"""The extents of a tensor; a ``ItemRun`` is a symbolic number of extents."""


class TensorKind(StrEnum):
    """Role of a tensor in its graph."""

    INPUT = "input"
    RESULT = "result"
    """A tensor computed by an operation."""
    VARIABLE = "variable"
    CONSTANT = "constant"
    LOCAL = "local"
    """A carried variable, the item of a scanned pack or the iteration index of a loop, or a captured tensor."""


class Quantization(Struct, frozen=True, eq=False):
    """The quantization of a tensor (2.14): an operator with attributes, not an operation of the graph."""

    operator: OperatorName
    attributes: Mapping[str, Value]
    dtypes: tuple[str, ...]
    """The generic types that are written, in order."""
    place: Place


class Tensor(Struct, Positioned, frozen=True, eq=False):
    """A tensor, known by identity. ``shape`` is None if it could not be composed, ``dtype`` then may be too."""

    name: str
    """The name in the graph. Below labels, names are joined by dots: ``block.conv1.filter``."""
    dtype: str | None
    shape: Shape | None
    kind: TensorKind
    place: Place | None = None
    value: Value | None = None
    """Value of a constant: a scalar for all elements, or a pack of them in row-major order."""
    quantization: Quantization | None = None
    alternatives: tuple[Tensor, ...] = ()
    """Alternatives of the tensor; an undecided compile-time condition selects one of them."""

    def at_position(self, shift: Callable[[Integer], Value]) -> Tensor:
        """Return the tensor of one place in a pack whose tensors differ in extents."""
        if self.shape is None or not any(map(positional, self.shape)):
            return self
        shape = [part if isinstance(part, ItemRun) else shift(part) for part in self.shape]
        return replace(
            self, shape=tuple(part if isinstance(part, Integer | ItemRun) else shapes.opaque("…") for part in shape)
        )

    def or_else(self, condition: Truth, other: Value) -> Value:
        """Return the tensor that is this one if a condition holds, and otherwise another one, or a scalar.

        Its extents depend on the condition, and so does its rank where the ranks differ.
        """
        if not isinstance(other, Tensor):
            other = Tensor(str(other), dtype_of(other), (), TensorKind.CONSTANT)
        if self.shape is None or other.shape is None or self.dtype != other.dtype:
            return UNDEFINED
        shape = choose(condition, Pack(self.shape, dtype="int"), Pack(other.shape, dtype="int"))
        if not isinstance(shape, Pack):
            return UNDEFINED
        extents = tuple(part for part in shape.segments if isinstance(part, Integer | ItemRun))
        name, alternatives = f"{self.name} or {other.name}", (*self.origins, *other.origins)
        return Tensor(name, self.dtype, extents, TensorKind.RESULT, self.place, alternatives=alternatives)

    @property
    def origins(self) -> tuple[Tensor, ...]:
        """Alternatives of the tensor; only the tensor itself if nothing is undecided."""
        return self.alternatives or (self,)

    @property
    def known(self) -> bool:
        """Return whether the tensor could be composed."""
        return self.shape is not None

    @property
    def bound(self) -> tuple[int | None, ...] | None:
        """The greatest extent in every dimension; None for one without a bound, or without a number of dimensions."""
        if self.shape is None or any(isinstance(extent, ItemRun) for extent in self.shape):
            return None
        return tuple(shapes.bounds(extent)[1] for extent in self.shape if isinstance(extent, Integer))

    @property
    def elements(self) -> Integer | None:
        """The number of elements; None if the rank is not a number."""
        if self.shape is None or any(isinstance(extent, ItemRun) for extent in self.shape):
            return None
        volume = shapes.constant(1)
        for extent in self.shape:
            assert isinstance(extent, Integer)
            volume = volume * extent
        return volume


def item_of_empty(pack: Pack) -> Tensor | Undefined:
    """Return a tensor with the element type and shape of an empty pack; UNDEFINED if these are unknown."""
    return pack.repeats if not pack.segments and isinstance(pack.repeats, Tensor) else UNDEFINED


def empty_pack(item: Value, dtype: str | None = None) -> Pack:
    """Return a pack without tensors, which would be like ``item`` if there were any."""
    return Pack((), dtype=item.dtype or dtype, repeats=item) if isinstance(item, Tensor) else Pack((), dtype=dtype)


TensorValue: TypeAlias = "Tensor | Pack | Maybe | Null | Undefined"
"""The value of an argument or result: a tensor, a pack of such values, one that may be null, null, or undefined."""


def tensor_value(value: Value) -> TensorValue:
    """Return a value that consists of tensors; UNDEFINED for any other, such as an int."""
    return value if isinstance(value, Tensor | Pack | Maybe | Null | Undefined) else UNDEFINED


def as_tensor(value: Value, name: str, dtype: str | None = None) -> TensorValue:
    """Return a compile-time value as a constant tensor of rank 0; tensors, null and undefined are themselves (2.10)."""
    match value:
        case Tensor() | Null() | Undefined():
            return value
        case Maybe():
            inner = as_tensor(value.value, name, dtype)
            return inner if inner is UNDEFINED else Maybe(value.present, inner)
        case Pack(segments=()):
            return empty_pack(item_of_empty(value), dtype or value.dtype)
        case Pack():
            segments = [
                ItemRun(segment.length, as_tensor(segment.element, f"{name}[{at}]", dtype))
                if isinstance(segment, ItemRun)
                else as_tensor(segment, f"{name}[{at}]", dtype)
                for at, segment in enumerate(value.segments)
            ]
            return UNDEFINED if UNDEFINED in segments else Pack(segments, dtype=dtype or value.dtype)
    return Tensor(name, dtype_of(value) or dtype, (), TensorKind.CONSTANT, None, value)


def tensors_of(value: Value) -> list[Tensor]:
    """Return the tensors of a value: one, all of a pack, or none."""
    match value:
        case Tensor():
            return [value]
        case Maybe():
            return tensors_of(value.value)
        case Pack():
            return [tensor for each in value.elements for tensor in tensors_of(each)]
    return []


def representative(value: Value) -> Tensor | None:
    """Return a tensor, or the first of a pack; None for a value without tensors, or a pack that begins with null."""
    match value:
        case Tensor():
            return value
        case Maybe():
            return representative(value.value)
        case Pack() if value.segments:
            return representative(value.elements[0])
    return None


# ---- graphs and their operations, control flow included (2.10, chapter 3) --------------------------------------------
class RuntimeCheck(Struct, frozen=True):
    """A condition that must hold but could not be decided when composing (2.6.1)."""

    condition: Truth
    text: str | Callable[[], str]
    """The message, or a function that writes it: few are shown, and writing symbolic values takes long."""
    place: Place

    @property
    def message(self) -> str:
        """Message if the check fails."""
        return self.text if isinstance(self.text, str) else self.text()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RuntimeCheck)
            and (self.condition, self.place) == (other.condition, other.place)
            and self.message == other.message
        )

    def __hash__(self) -> int:
        return hash((self.condition, self.place))


Condition: TypeAlias = "Graph | Truth | Undefined"
"""A graph with one bool as its only result; or a compile-time condition, which extents decide that are not known yet:
undefined if nothing is known of it."""


class Case(Struct, frozen=True, eq=False):
    """A condition of a branch, with the graph that runs if it is the first to hold (2.10.1, Branching)."""

    condition: Condition
    consequent: Graph


class Branch(Struct, frozen=True, eq=False):
    """``if``: the outputs of the operation are the outputs of the first case that holds, else of the alternative.

    Cases that compile-time conditions exclude are left out.
    """

    cases: tuple[Case, ...]
    alternative: Graph

    @property
    def parts(self) -> dict[str, Graph]:
        """The graphs by name: ``condition``, ``then`` (numbered from 1 if there are several) and ``else``."""
        found: dict[str, Graph] = {}
        for number, case in enumerate(self.cases, 1):
            suffix = str(number) if len(self.cases) > 1 else ""
            if isinstance(case.condition, Graph):
                found[f"condition{suffix}"] = case.condition
            found[f"then{suffix}"] = case.consequent
        return {**found, "else": self.alternative}


class LoopLocal(Struct, frozen=True, eq=False):
    """The local value of a carried variable, or of the item of a scanned pack, in the graphs of a loop."""

    local: TensorValue
    """A tensor; of a carried pack the pack of its tensors."""
    source: TensorValue
    """The initial value of a carried variable; the pack that is scanned."""


class Loop(Struct, frozen=True, eq=False):
    """``do`` (2.10.1, Looping); an unrolled loop is not represented by this class.

    The first outputs of the body are the new values of the carried variables, in order; each further output is
    collected in a pack, by iteration. The outputs of the operation are the last values of the carried variables, and
    those packs.
    """

    carried: tuple[LoopLocal, ...]
    scanned: tuple[LoopLocal, ...]
    index: Tensor | None
    """The number of the iteration, from 0."""
    count: TensorValue | Integer | None
    """Maximum number of iterations: a compile-time integer, or a tensor.

    None for one per item of the scanned packs, or for an endless loop if there are none.
    """
    before: Graph | None
    """The condition that is tested before each iteration: its only result is a bool."""
    after: Graph | None
    """The condition that is tested after each iteration; it sees the carried variables as the body left them."""
    body: Graph
    is_unchanging: bool = False
    """True if only a condition ends the loop, and no iteration changes the condition."""

    @property
    def parts(self) -> dict[str, Graph]:
        """The graphs by name: ``condition`` (``condition2`` if both sides of the body have one) and ``body``."""
        conditions = [each for each in (self.before, self.after) if each is not None]
        named = dict(zip(("condition", "condition2"), conditions, strict=False))
        return {**named, "body": self.body}


ControlFlow: TypeAlias = "Branch | Loop"


class Callee(Protocol):
    """The target of an operation: an operator with everything bound.

    ``compose.specialization_of`` returns the facts that composing knows about it.
    """

    @property
    def body(self) -> Graph | None:
        """The composition of the operator; None if it has formulas, or only a signature."""


class Operation(Struct, frozen=True, eq=False):
    """An invocation of an operator, or a control flow construct (``if``, ``do``), in a graph."""

    operator: OperatorName | None
    """Name of the operator; None for control flow, see ``control``."""
    label: str | None
    """The scope that its tensors are in; None if they are in the one around."""
    dtypes: Mapping[str, str]
    attributes: Mapping[str, Value]
    inputs: tuple[TensorValue, ...]
    outputs: tuple[TensorValue, ...]
    place: Place
    callee: Callee | None = None
    """The operator with everything bound; None for control flow."""
    control: ControlFlow | None = None
    labelled: bool = False
    """True if the label is written, not made of the name of the result."""
    checks: tuple[RuntimeCheck, ...] = ()

    @property
    def construct(self) -> str | None:
        """``if`` or ``do``; None for an invocation."""
        return None if self.control is None else "if" if isinstance(self.control, Branch) else "do"

    @property
    def subgraphs(self) -> Mapping[str, Graph]:
        """The graphs of control flow: ``condition``, ``then``, ``else`` or ``body``."""
        return {} if self.control is None else self.control.parts

    @property
    def body(self) -> Graph | None:
        """The composition of the operator; shared by all operations with one callee."""
        return self.callee.body if self.callee is not None else None


class Graph(Struct, frozen=True, eq=False):
    """A composed graph, the body of a composed operator, or a part of control flow.

    ``operations`` are in a valid order of execution. Bodies of operators are graphs of their own, see
    ``compose/decomposition.py`` for one flat graph. Captured tensors of a part of control flow belong to the outer
    graph.
    """

    name: str
    inputs: Mapping[str, TensorValue]
    outputs: Mapping[str, TensorValue]
    variables: Mapping[str, TensorValue]
    constants: Mapping[str, TensorValue]
    tensors: Mapping[str, TensorValue]
    """Every tensor by the name it was given, inputs, outputs, variables and constants too."""
    operations: tuple[Operation, ...]
    updates: Mapping[str, TensorValue] = field(default_factory=dict)
    """New values of variables, to be stored when all operations have run (2.11)."""
    update_operations: tuple[Operation, ...] = ()
    quantizations: Mapping[str, Quantization] = field(default_factory=dict)
    """Quantizations by the scoped names of tensors (2.14); tensors of a flat graph have their own."""
    checks: tuple[RuntimeCheck, ...] = ()
