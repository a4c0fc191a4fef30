"""Operations on values that may be null or undefined, and failures at the nodes that they are about (2.4.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from snd_analysis.base import Rule
from snd_analysis.skriptnd.syntax import naming_pack, nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Truth
from snd_analysis.symbolic.values import (
    NULL,
    UNDEFINED,
    Foreign,
    Maybe,
    OperationError,
    Pack,
    Value,
    elementwise,
    maybe,
)


# ---- the environment of an evaluation --------------------------------------------------------------------------------
class Environment(Protocol):
    """The values of names where an expression stands."""

    @property
    def composing(self) -> bool:
        """Return whether unknown values stay unknown until run time, as when a graph is composed.

        Then ``is`` is false unless both sides are certainly the same, and a pack has a uniform value only by its form
        (2.4). Otherwise, as when a single operator is checked, both stay undecided where a value might decide.
        """

    def lookup(self, node: nodes.Qualified) -> Value:
        """Return the value of a name, also of ``x.shape``, ``x.rank`` and ``x.size``.

        Raise Unresolved if there is none.
        """

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        """Return the element type bound to a generic type; None if the name is no generic type.

        Raise Unresolved if that type is unknown.
        """


# ---- errors of expressions without a value ---------------------------------------------------------------------------
class EvaluationError(Exception):
    """An expression that has no value: where, by which rule and why; ``notes`` explain parts of it."""

    def __init__(
        self, node: nodes.Node, rule: Rule, message: str, notes: tuple[tuple[nodes.Node, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.node = node
        self.rule = rule
        self.message = message
        self.notes = notes


class Unresolved(LookupError):  # noqa: N818
    """A name without a known value: reported elsewhere, silent here."""


# ---- operations on values that may be null or undefined, and failures at the nodes that they are about (2.4.1) -------
class Located(Struct, frozen=True):
    """The node of an operation, and the nodes of its operands."""

    node: nodes.Node
    operands: tuple[nodes.Node, ...]

    def error(self, failure: OperationError) -> EvaluationError:
        """Return the failure at the operand to blame, or at the operation."""
        at = failure.operand
        node = self.operands[at] if at is not None and at < len(self.operands) else self.node
        notes = tuple((self.operands[place], text) for place, text in failure.notes if place < len(self.operands))
        return EvaluationError(node, failure.rule, naming_pack(failure.message, self.node), notes)


def lifted(located: Located, function: Callable[..., Value], *operands: Value) -> Value:
    """Return the function of operands that are neither null nor undefined; else null or undefined.

    If an operand may be null, so may the result. Raise EvaluationError for the function's Failure.
    """
    present: Truth = TRUE
    undefined = False
    values = operands
    for place, operand in enumerate(operands):
        if operand is NULL:
            return NULL
        if operand is UNDEFINED:
            undefined = True
        elif type(operand) is Maybe:
            present = shapes.and_(present, operand.present)
            values = (*values[:place], operand.value, *values[place + 1 :])
    if undefined:
        return UNDEFINED
    try:
        value = function(*values)
    except OperationError as failure:
        if present is TRUE:
            raise located.error(failure) from None
        return UNDEFINED
    return value if present is TRUE else maybe(present, value)


# ---- items without a value -------------------------------------------------------------------------------------------
class Failed(Struct, Foreign, frozen=True):
    """Marker of an item without a value, in a branch that is taken item by item."""

    error: EvaluationError


class Tolerant(Struct, frozen=True):
    """An environment in which items of packs may have no value: whether they are needed is decided item by item."""

    inner: Environment

    @property
    def composing(self) -> bool:
        """The value in the inner environment."""
        return self.inner.composing

    def lookup(self, node: nodes.Qualified) -> Value:
        """Return the value in the environment."""
        return self.inner.lookup(node)

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        """Return the type in the environment."""
        return self.inner.dtype(node)


def itemwise(located: Located, environment: Environment, operation: Callable[..., Value], *operands: Value) -> Value:
    """Return ``elementwise`` of operands that may be null or undefined, in an environment that may be ``Tolerant``."""
    if isinstance(environment, Tolerant):
        return lifted(located, lambda *values: _tolerantly(located, operation, values), *operands)
    return lifted(located, lambda *values: elementwise(operation, *values), *operands)


def _tolerantly(located: Located, operation: Callable[..., Value], operands: tuple[Value, ...]) -> Value:
    if not any(isinstance(operand, Pack) and operand.items is not None for operand in operands):
        return elementwise(operation, *operands)

    def attempt(*values: Value) -> Value:
        for value in values:
            if isinstance(value, Failed):
                return value
        try:
            return operation(*values)
        except OperationError as failure:
            return Failed(located.error(failure))

    return elementwise(attempt, *operands)


def without_failed(value: Value) -> Value:
    """Return the value, if all of its items have one. Raises the EvaluationError of the first that has none."""
    if isinstance(value, Pack):
        for item in value.segments:
            if isinstance(item, Failed):
                raise item.error
    return value
