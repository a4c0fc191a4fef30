"""The model that composing a graph gives (chapter 3 of the draft): tensors, operations, graphs.

Shapes are rows of extents. An extent is a symbolic integer: a number where it is static, an expression over the
dynamic extents of inputs and results otherwise; ``Run`` stands for a number of dimensions that is symbolic itself,
which occurs only where an operator is composed without a caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base.text import Span
from snd_analysis.skriptnd.names.symbols import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import Maybe, Pack, Positioned, Run, Value, positional

if TYPE_CHECKING:
    from snd_analysis.compose.specialization import Specialization

Shape: TypeAlias = "tuple[Integer | Run, ...]"
"""The extents of a tensor; a ``Run`` stands for a symbolic number of them."""


class Place(Struct, frozen=True):
    """A place in a definition: ``span`` counts from the start of the definition's chunk.

    A place in a ``statement``, which stood at ``start`` then, can be found again in a later version of the definition.
    """

    path: str
    definition: str
    span: Span
    statement: nodes.Node | None = None
    start: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, str, Span]:
        return self.path, self.definition, self.span

    def lasts_as(self, other: Place | None) -> bool:
        """Whether another place is the same part of the same statement, wherever that stands now."""
        return (
            other is not None
            and self.statement is not None
            and self.statement is other.statement
            and self.span.shifted(other.start - self.start) == other.span
        )


class TensorKind(StrEnum):
    """What a tensor is to the graph that holds it."""

    INPUT = "input"
    RESULT = "result"
    """What an operation computes."""
    VARIABLE = "variable"
    CONSTANT = "constant"
    LOCAL = "local"
    """A carried variable, the item of a scanned pack or the iteration index of a loop, or a captured tensor."""


class Quantization(Struct, frozen=True, eq=False):
    """How a tensor is quantized (2.14): an operator with attributes, not an operation of the graph."""

    operator: OperatorName
    attributes: Mapping[str, Value]


class Tensor(Struct, Positioned, frozen=True, eq=False):
    """A tensor, known by identity. ``shape`` is None if it could not be composed, ``dtype`` then may be too."""

    name: str
    """As written in the graph; below labels, joined by dots: ``block.conv1.filter``."""
    dtype: str | None
    shape: Shape | None
    kind: TensorKind
    place: Place | None = None
    value: Value | None = None
    """Of a constant: a scalar for all elements, or a pack of them in row-major order."""
    quantization: Quantization | None = None

    def at_position(self, shift: Callable[[Value], Value]) -> Tensor:
        """The tensor of one place in a pack whose tensors differ in extents."""
        if self.shape is None or not any(map(positional, self.shape)):
            return self
        shape = tuple(shift(part) for part in self.shape)
        return replace(
            self, shape=tuple(part if isinstance(part, Integer | Run) else shapes.opaque("…") for part in shape)
        )

    @property
    def known(self) -> bool:
        """Whether the tensor could be composed."""
        return self.shape is not None

    @property
    def bound(self) -> tuple[int | None, ...] | None:
        """The greatest extent in every dimension; None for one without a bound, or without a number of dimensions."""
        if self.shape is None or any(isinstance(extent, Run) for extent in self.shape):
            return None
        return tuple(shapes.bounds(extent)[1] for extent in self.shape if isinstance(extent, Integer))

    @property
    def elements(self) -> Integer | None:
        """The number of elements; None if the rank is not a number."""
        if self.shape is None or any(isinstance(extent, Run) for extent in self.shape):
            return None
        volume = shapes.constant(1)
        for extent in self.shape:
            assert isinstance(extent, Integer)
            volume = volume * extent
        return volume


def item_of_empty(pack: Pack) -> Tensor | None:
    """What a tensor of an empty pack would be like, if that is known: of its element type and shape."""
    return pack.repeats if not pack.segments and isinstance(pack.repeats, Tensor) else None


def empty_pack(item: Value, dtype: str | None = None) -> Pack:
    """A pack without tensors, which would be like ``item`` if there were any."""
    return Pack((), dtype=item.dtype or dtype, repeats=item) if isinstance(item, Tensor) else Pack((), dtype=dtype)


TensorValue: TypeAlias = "Tensor | Pack | Value"
"""A tensor, a pack of them, null, or undefined: what an argument or result stands for."""


def tensors_of(value: TensorValue) -> list[Tensor]:
    """The tensors of a value: one, those of a pack, or none."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, Maybe):
        return tensors_of(value.value)
    if isinstance(value, Pack):
        segments = (each.element if isinstance(each, Run) else each for each in value.segments)
        return [tensor for each in segments for tensor in tensors_of(each)]
    return []


class RuntimeCheck(Struct, frozen=True):
    """A condition that must hold but could not be decided when composing (2.6.1)."""

    condition: Truth
    message: str
    place: Place


class Case(Struct, frozen=True, eq=False):
    """A condition of a branch, with what is computed where it is the first to hold (2.10.1, Branching)."""

    condition: Graph | Value
    """A graph with one bool as its only result; or a compile-time condition, which extents decide that are not known
    yet: a ``Truth``, or undefined if nothing is known of it."""
    consequent: Graph


class Branch(Struct, frozen=True, eq=False):
    """``if``: the outputs of the operation are those of the first case that holds, else of the alternative, in order.

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
    """What stands for a carried variable, or for the item of a scanned pack, in the graphs of a loop."""

    local: TensorValue
    """A tensor; of a carried pack the pack of its tensors."""
    source: TensorValue
    """The initial value of a carried variable; the pack that is scanned."""


class Loop(Struct, frozen=True, eq=False):
    """``do`` (2.10.1, Looping); a loop that was unrolled is not one any more.

    The first outputs of the body are the new values of the carried variables, in order; each of the others is collected
    in a pack, by iteration. The outputs of the operation are the last values of the carried variables, and those packs.
    """

    carried: tuple[LoopLocal, ...]
    scanned: tuple[LoopLocal, ...]
    index: Tensor | None
    """The number of the iteration, from 0."""
    count: TensorValue | Integer | None
    """How often at most: a compile-time integer, or a tensor. None for once per item of the scanned packs, or without
    end if there are none."""
    before: Graph | None
    """The condition that is tested before each iteration: its only result is a bool."""
    after: Graph | None
    """The condition that is tested behind each iteration; it sees the carried variables as the body left them."""
    body: Graph

    @property
    def parts(self) -> dict[str, Graph]:
        """The graphs by name: ``condition`` (``condition2`` if both sides of the body have one) and ``body``."""
        conditions = [each for each in (self.before, self.after) if each is not None]
        named = dict(zip(("condition", "condition2"), conditions, strict=False))
        return {**named, "body": self.body}


ControlFlow: TypeAlias = "Branch | Loop"


class Operation(Struct, frozen=True, eq=False):
    """An invocation of an operator, or a control flow construct (``if``, ``do``), in a graph."""

    operator: OperatorName | None
    """None for control flow, which ``control`` tells all about."""
    label: str | None
    """The scope that its tensors are in; None if they are in the one around."""
    dtypes: Mapping[str, str]
    attributes: Mapping[str, Value]
    inputs: tuple[TensorValue, ...]
    outputs: tuple[TensorValue, ...]
    place: Place
    specialization: Specialization | None = None
    """The operator with everything bound: its ``body`` is a graph if it is composed, its formulas are ``@lower``."""
    control: ControlFlow | None = None
    labelled: bool = False
    """Whether the label is written, not made of the name of the result."""
    checks: tuple[RuntimeCheck, ...] = ()

    @property
    def construct(self) -> str | None:
        """``if`` or ``do``; None for an invocation."""
        return None if self.control is None else "if" if isinstance(self.control, Branch) else "do"

    @property
    def subgraphs(self) -> Mapping[str, Graph]:
        """Of control flow: ``condition``, ``then``, ``else`` or ``body``."""
        return {} if self.control is None else self.control.parts

    @property
    def body(self) -> Graph | None:
        """What the operator is composed of; shared by all operations of one specialization."""
        return self.specialization.body if self.specialization is not None else None


class Graph(Struct, frozen=True, eq=False):
    """A composed graph, the body of a composed operator, or a part of control flow.

    ``operations`` are in a valid order of execution. Bodies of operators are graphs of their own, see
    ``compose/decomposition.py`` for one flat graph. Captured tensors of a part of control flow are those of the graph
    around it.
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
    """By the scoped names of tensors (2.14); tensors of a flat graph have theirs."""
    checks: tuple[RuntimeCheck, ...] = ()
