"""Graphs and their operations, control flow included (2.10, chapter 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct, field

from snd_analysis.base import OperatorName
from snd_analysis.model.tensors import Place, Quantization, Tensor, TensorValue
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import Undefined, Value


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
