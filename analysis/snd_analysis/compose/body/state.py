"""The state of one body while its statements are composed or run (2.10, 2.11)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from msgspec.structs import replace

from snd_analysis.base import Layers, Rule
from snd_analysis.compose.bind.declared_shapes import literal_tensor
from snd_analysis.compose.budget import StepBudget
from snd_analysis.compose.dynamic import Dynamic, dynamic_extent
from snd_analysis.compose.failure import Failure, Site, evaluation_failure
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Template
from snd_analysis.model import Operation, Place, RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import TRUE, Integer, Truth

ResultValues: TypeAlias = "list[TensorValue]"
"""The results of a right side, in order."""


class BodyState:
    """The state of one body: the values of its names, the additions to its graph, and its failures.

    ``declared`` has the evaluated declarations of the definition. A failure is noted, and the work goes on without its
    result. ``budget`` limits the cost of this body and of everything composed with it.
    """

    def __init__(self, declared: Specialization, budget: StepBudget) -> None:
        self.declared = declared
        self.template: Template = declared.template
        self.scope: ValueScope = declared.scope
        self.steps = 0
        """Number of composed statements and iterations, without those of invoked definitions."""
        self.used: dict[Specialization, None] = {}
        """The specializations that composing took so far."""
        self._budget = budget
        self.failures: list[Failure] = list(declared.failures)
        self.dynamic: dict[Dynamic, Integer] = dict(declared.dynamic)
        self.left_open = frozenset[Hashable](declared.dynamic)
        """The extents that the declarations only bound."""
        self.operations: list[Operation] = []
        self.checks: list[RuntimeCheck] = []
        self.outputs: dict[Symbol, TensorValue] = {}
        self.updated: dict[str, TensorValue] = {}
        self.tensors: Layers[str, TensorValue] = Layers()
        self.tensors.update(
            {member.name: value for member, value in zip(self.template.inputs, declared.inputs, strict=True)}
        )
        self.tensors.add(declared.constants)
        self.tensors.add(declared.variables)
        self.labels: tuple[str, ...] = ()
        self.first_operation = 0
        """Index of the first operation of the current statement, once its right side is composed."""
        self._base = 0
        self._statement: nodes.Component | None = None

    # ---- the budget --------------------------------------------------------------------------------------------------
    def step(self) -> None:
        """Count a statement or an iteration. Raise OverBudgetError."""
        self.steps += 1
        self._budget.spend(1)

    def use(self, steps: int, used: Iterable[Specialization]) -> None:
        """Count earlier work. Raise OverBudgetError."""
        self._budget.spend(steps)
        for each in used:
            self._budget.spend_on(each)

    # ---- places and failures -----------------------------------------------------------------------------------------
    def begin(self, base: int, statement: nodes.Component | None = None) -> None:
        """Go on to an entry of the definition, whose spans count from ``base``."""
        self._base, self._statement = base, statement

    def place(self, node: nodes.Node) -> Place:
        """Return the place of a node of the current statement."""
        name = self.template.name
        return Place(name.path, name.name, node.span.shifted(self._base), self._statement, self._base)

    def fail(self, rule: Rule, node: nodes.Node, message: str, related: Sequence[Site] = ()) -> None:
        """Record a broken rule at a node of the current statement."""
        site = Site(self.place(node), "this is composed here")
        self.failures.append(Failure(rule, message, (site,), tuple(related)))

    def note_failure(self, error: EvaluationError) -> None:
        """Record that an expression of the current statement has no value."""
        self.failures.append(evaluation_failure(self.template, self._base, error))

    def check(self, condition: Truth, message: str, node: nodes.Node) -> None:
        """Record a condition of the current statement that only the run can decide."""
        if condition is not TRUE:
            self.checks.append(RuntimeCheck(condition, message, self.place(node)))

    # ---- names -------------------------------------------------------------------------------------------------------
    @contextmanager
    def labelled(self, label: str | None) -> Iterator[None]:
        """Put tensors and operations that are made within in the scope of a label."""
        before = self.labels
        if label is not None:
            self.labels = (*before, label)
        try:
            yield
        finally:
            self.labels = before

    def scoped(self, name: str) -> str:
        """Return a name with the labels of the blocks around."""
        return ".".join((*self.labels, name))

    def scope_below(self, label: str | None) -> str | None:
        """Return the label of an invocation or construct, prefixed by the labels of outer blocks.

        None if there is none.
        """
        return ".".join((*self.labels, *(() if label is None else (label,)))) or None

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def tensor(self, node: nodes.Expression, name: str | None) -> TensorValue:
        """Return an expression as a tensor or a pack of them; scalars are constants (2.10).

        Raise EvaluationError if the expression has no value.
        """
        if isinstance(node, nodes.Qualified):
            symbol = self.template.resolution.targets.get(node)
            if isinstance(symbol, Symbol):
                value = self.scope.value_of(symbol)
                if isinstance(value, Tensor):
                    return value
        return literal_tensor(node, self.scope.evaluate(node), self.scoped(name or "constant"))

    def invokes(self, node: nodes.Callable) -> bool:
        """Return whether a right side, or a part of control flow, is an invocation."""
        return isinstance(node, nodes.Call) and isinstance(
            self.template.resolution.targets.get(node.function), OperatorName
        )

    def dynamic_extent(self, name: str, low: int, high: int | None) -> Integer:
        """Return a new extent, or number of tensors, that is known only at run time."""
        return dynamic_extent(self.dynamic, name, low, high)

    def make_instead(self, value: TensorValue, other: TensorValue) -> bool:
        """Replace one result of the current statement by another; return False if the new one has a name."""
        if any(each is value for each in self.tensors.values()):
            return False
        for at in range(self.first_operation, len(self.operations)):
            operation = self.operations[at]
            if any(output is value for output in operation.outputs):
                outputs = tuple(other if output is value else output for output in operation.outputs)
                self.operations[at] = replace(operation, outputs=outputs)
                return True
        return False
