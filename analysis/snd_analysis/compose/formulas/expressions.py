"""Expressions of formulas as values and terms (2.4, 2.4.1, 2.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from snd_analysis import rules
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE, Preparation
from snd_analysis.compose.formulas.operands import (
    LATE,
    TERMS,
    Operations,
    Overflow,
    Partial,
    scalar_of,
    too_long,
)
from snd_analysis.compose.formulas.tensors import FormulaTensors
from snd_analysis.compose.formulas.terms import Term, Terms
from snd_analysis.compose.limits import LONGEST_PACK
from snd_analysis.compose.specialization import Specialization
from snd_analysis.skriptnd.evaluate import EvaluationError, evaluate
from snd_analysis.skriptnd.names import ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import naming_pack, nodes
from snd_analysis.symbolic.integers import TRUE, Integer, is_wide
from snd_analysis.symbolic.values import NULL, UNDEFINED, OperationError, Pack, Unknown, Value

FORMS: Final[dict[type[nodes.Node], Callable[[Any, Any], Value]]] = {}
"""Evaluator of each form of expression; ``forms`` fills it."""

_LOCAL_KINDS = frozenset({SymbolKind.INDEX, SymbolKind.LOCAL})
_TENSOR_KINDS = frozenset({SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.VARIABLE, SymbolKind.CONSTANT})


class Expressions:
    """Evaluator of expressions as far as they are known, with terms for the rest: one form each in ``forms``.

    ``bindings`` are the index symbols and loop-local values. Raises ``snd_analysis.symbolic.values.EvaluationError``.
    """

    def __init__(self, specialization: Specialization, tensors: FormulaTensors, terms: Terms) -> None:
        self.specialization = specialization
        self.tensors = tensors
        self.terms = terms
        self.operations = Operations(terms)
        self.bindings: dict[Symbol, Value] = {}
        self.stacks_open = False
        """True if tensors of a pack may be stacked whose extents are not known: the axes can't be unrolled."""
        self.targets = specialization.template.resolution.targets
        self._known: dict[nodes.Node, bool] = {}
        self.path: tuple[tuple[Term, bool], ...] = ()
        """The conditions of the branches around the current expression, each with its value there."""
        self.late: EvaluationError | None = None
        """The first failure of known operands that is left to the points of the formula."""
        self.axes = 0
        """Number of axes that the formula has so far."""
        self.preparations: dict[Preparation, None] = {}
        self._wide: dict[int, nodes.Node] = {}
        """Places of ints of more than 64 bits: they are blamed if the elements of a tensor depend on them."""

    def evaluate(self, node: nodes.Expression) -> Value:
        """Return a value or term, a pack of them, or NULL."""
        value = self._evaluated(node)
        if isinstance(value, Integer) and value.value is not None and is_wide(value):
            self._wide.setdefault(value.value, node)
        return value

    def term(self, node: nodes.Node, value: Value, dtype: str | None = None) -> Term:
        """Return the value of ``node`` as a term."""
        try:
            return self.operations.term(value, dtype)
        except OperationError as failure:
            raise self.blamed(node, failure) from None

    def blamed(self, node: nodes.Node, failure: OperationError) -> EvaluationError:
        """Return a failure of an operation at the node, or at the operand that causes it."""
        message = naming_pack(failure.message, node)
        if isinstance(failure, Overflow):
            node = self._wide.get(failure.value, node)
        return EvaluationError(node, failure.rule, message)

    def _evaluated(self, node: nodes.Expression) -> Value:
        if self._is_known(node):
            if self.tensors.is_general:
                self.preparations[Preparation(node, self.axes, self.path)] = None
            try:
                value = evaluate(node, self.specialization.scope)
            except EvaluationError as error:
                if not self.path or error.rule not in LATE:
                    raise
                self.late = self.late or error
                return self._late(node)
            if self.tensors.is_open and not _is_definite(value):
                return self._opened(node, value)
            if value is UNDEFINED or isinstance(value, Unknown) or (isinstance(value, Integer) and value.value is None):
                raise EvaluationError(node, UNKNOWN_VALUE, "the value of this is not known when the formula is run")
            return value
        try:
            value = FORMS[type(node)](self, node)
        except OperationError as failure:
            raise self.blamed(node, failure) from None
        if value is UNDEFINED:
            raise EvaluationError(node, UNKNOWN_VALUE, "this has no value in a formula")
        if isinstance(value, Pack) and value.items is not None and len(value.items) > LONGEST_PACK:
            raise EvaluationError(node, rules.VALUE_TOO_LARGE, too_long(len(value.items)))
        return value

    def _late(self, node: nodes.Expression) -> Value:
        """Return a value whose operations fail at the points that evaluate them: a condition may protect them."""
        was_late, self.operations.is_late = self.operations.is_late, True
        try:
            return FORMS[type(node)](self, node)
        finally:
            self.operations.is_late = was_late

    def _opened(self, node: nodes.Expression, value: Value) -> Value:
        items = value.items if isinstance(value, Pack) else None
        if items is None and isinstance(value, Pack) and value.length.value is not None:
            raise EvaluationError(node, rules.VALUE_TOO_LARGE, too_long(value.length.value))
        if items is None or len(items) > LONGEST_PACK:
            return self.terms.open(self.tensors.opened(node, value))
        opened = self.tensors.opened
        return Pack([each if _is_definite(each) else self.terms.open(opened(node, each)) for each in items])

    def _is_known(self, node: nodes.Node) -> bool:
        known = self._known.get(node)
        if known is None:
            if isinstance(node, nodes.Qualified):
                known = not self._is_local(self.targets.get(node))
            else:
                known = not isinstance(node, nodes.Bounded) and all(
                    self._is_known(child) for child in nodes.children(node)
                )
            self._known[node] = known
        return known

    def _is_local(self, target: object) -> bool:
        if isinstance(target, ShapeMember):
            return target.tensor.kind is SymbolKind.OUTPUT
        if not isinstance(target, Symbol):
            return False
        if target.kind in _LOCAL_KINDS or target.kind in _TENSOR_KINDS:
            return True
        return (
            target.kind is SymbolKind.EXTENT and self.specialization.scope.values.get(target) in self.tensors.counters
        )

    @contextmanager
    def where(self, condition: Value, holds: bool = True) -> Iterator[None]:
        """Note that expressions within are evaluated only where a condition has the value ``holds``."""
        before = self.path
        if isinstance(condition, TERMS):
            self.path = (*before, (condition, holds))
        try:
            yield
        finally:
            self.path = before

    def lifted(self, node: nodes.Node, function: Callable[..., Value], *operands: Value) -> Value:
        """Return the function of operands that are not null; else null (2.4.1)."""
        present: Value = TRUE
        values = []
        for operand in operands:
            if operand is NULL:
                return NULL
            if isinstance(operand, Partial):
                present = self.operations.binary("&&", node, present, operand.present)
                operand = operand.value
            values.append(operand)
        value = function(*values)
        return value if present is TRUE or value is NULL else Partial(self.operations.term(present), value)


def _is_definite(value: Value) -> bool:
    """Return whether a value, with all items of a pack, is known."""
    if isinstance(value, Pack):
        return value.items is not None and all(map(_is_definite, value.items))
    return value is NULL or scalar_of(value) is not None
