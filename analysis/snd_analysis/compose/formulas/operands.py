"""Operations on the values of expressions in formulas: values known when binding, terms, and packs of both.

Known values are computed as everywhere else (``snd_analysis.symbolic.values``); the rest becomes terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE
from snd_analysis.compose.formulas.terms import (
    Apply,
    AxisPosition,
    Constant,
    ConstantItem,
    Next,
    OpenPack,
    OpenValue,
    Read,
    Scalar,
    Slot,
    Term,
    Terms,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, INT_MAX, INT_MIN, TRUE, Integer
from snd_analysis.symbolic.values import CASTS, FUNCTIONS, OPERATIONS, UNARY, Foreign, OperationError, Pack, Value

LATE = frozenset({rules.DIVISION_BY_ZERO, rules.NEGATIVE_EXPONENT})
"""Failures of known operands that a condition of the points may prevent."""
TERMS = (Constant, AxisPosition, Next, Read, Apply, ConstantItem, OpenValue)
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_JUNCTIONS = {"&&": "all", "||": "any"}
_UNARY_NAMES = {"-": "negate", "!": "not"}
CALCULATIONS: Final[dict[str, Callable[..., Value]]] = {
    **OPERATIONS,
    **{name: OPERATIONS[symbol] for symbol, name in _JUNCTIONS.items()},
    **{name: UNARY[symbol] for symbol, name in _UNARY_NAMES.items()},
    **FUNCTIONS,
    **CASTS,
}
"""Functions for the operations of ``Apply`` on known values; operations that choose among operands are left out."""


class Overflow(OperationError):  # noqa: N818
    """An int that is known, but does not fit into 64 bits, where elements of tensors are computed."""

    def __init__(self, value: int) -> None:
        super().__init__(rules.INT_OVERFLOW, rules.formulas.too_wide(value))
        self.value = value


class Guarded(Struct, Foreign, frozen=True):
    """``|index|`` or ``|index <> below : above|``."""

    index: Value
    below: Value | None
    above: Value | None


class Partial(Struct, Foreign, frozen=True):
    """``value`` where ``present`` is true, else null: ``c ? a`` where c is known at run time only."""

    present: Term
    value: Value


def scalar_of(value: Value) -> Scalar | None:
    """Return the number, truth or string of a value that is known; None for anything else."""
    if isinstance(value, Integer):
        return value.value
    if value is TRUE or value is FALSE:
        return value is TRUE
    return value if isinstance(value, float | str) else None


def value_of(scalar: Scalar) -> Value:
    """Return a scalar as a value of the analysis."""
    if isinstance(scalar, bool):
        return shapes.truth(scalar)
    return shapes.constant(scalar) if isinstance(scalar, int) else scalar


class Chosen(Foreign):
    """A tensor of a pack, chosen at run time. An open pack has no slots for its tensors."""

    __slots__ = ("index", "pack", "slots")

    def __init__(self, slots: Sequence[Value], index: Term, pack: OpenPack | None = None) -> None:
        self.slots = tuple(slot for slot in slots if isinstance(slot, Slot))
        self.index = index
        self.pack = pack


class Operations:
    """Applies operators, functions and casts to single values."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.is_late = False
        """True if an operation of known operands without a value fails where it is evaluated, not before."""

    def term(self, value: Value, dtype: str | None = None) -> Term:
        """Return a single value as a term. Raise Failure for anything else, and for an int of more than 64 bits.

        An int becomes a real where ``dtype`` says so: types agree, but a fold over no items doesn't know its own.
        """
        if isinstance(value, TERMS):
            return value
        scalar = scalar_of(value)
        if scalar is None:
            raise OperationError(UNKNOWN_VALUE, "this has no single value that is known here")
        if dtype == "real" and isinstance(scalar, int):
            scalar = float(scalar)
        return self.terms.constant(_dtype(scalar), _bounded(scalar))

    def binary(self, symbol: str, node: nodes.Node, a: Value, b: Value) -> Value:
        """Return ``a @ b``."""
        if not isinstance(a, TERMS) and not isinstance(b, TERMS):
            a, b = self._adapted(a, b)
            try:
                return OPERATIONS[symbol](a, b)
            except OperationError as failure:
                if not self.is_late or failure.rule not in LATE:
                    raise
        x, y = self.term(a, _dtype_of(b)), self.term(b, _dtype_of(a))
        decided = _decided(symbol, a, b)
        if decided is not None:
            return decided
        dtype = "bool" if symbol in COMPARISONS or symbol in ("&&", "||", "^", "=>") else x.dtype
        return self.terms.apply(symbol, (x, y), dtype, node)

    def _adapted(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Return an empty fold beside a real."""
        if isinstance(a, Integer) and isinstance(b, float) and a.value is not None:
            return float(a.value), b
        if isinstance(b, Integer) and isinstance(a, float) and b.value is not None:
            return a, float(b.value)
        return a, b

    def unary(self, symbol: str, node: nodes.Node, a: Value) -> Value:
        """Return ``-a``, ``+a`` or ``!a``."""
        if not isinstance(a, TERMS):
            return UNARY[symbol](a)
        return a if symbol == "+" else self.terms.apply(_UNARY_NAMES[symbol], (a,), a.dtype, node)

    def function(self, name: str, node: nodes.Node, a: Value) -> Value:
        """Return a built-in function."""
        if not isinstance(a, TERMS):
            if isinstance(a, Integer) and name not in ("abs", "sign") and a.value is not None:
                a = float(a.value)
            return FUNCTIONS[name](a)
        return self.terms.apply(name, (a,), a.dtype, node)

    def cast(self, dtype: str, node: nodes.Node, a: Value) -> Value:
        """Return ``int(a)``, ``real(a)`` or ``bool(a)``."""
        if not isinstance(a, TERMS):
            return CASTS[dtype](a)
        return a if a.dtype == dtype else self.terms.apply(dtype, (a,), dtype, node)

    def select(self, node: nodes.Node, condition: Value, a: Value, b: Value) -> Value:
        """Return ``condition ? a : b`` for single values, some of them guarded indices."""
        if condition is TRUE or condition is FALSE:
            return a if condition is TRUE else b
        if isinstance(a, Guarded) or isinstance(b, Guarded):
            raise OperationError(UNKNOWN_VALUE, "which index is guarded must be known when the formula is bound")
        if a is b:
            return a
        x, y = self.term(a, _dtype_of(b)), self.term(b, _dtype_of(a))
        return self.terms.apply("select", (self.term(condition), x, y), x.dtype, node)

    def item(self, node: nodes.Node, items: Sequence[Value], index: Term) -> Value:
        """Return an item of a pack at an index that is known at run time only."""
        if not items:
            raise OperationError(rules.INDEX_OUT_OF_RANGE, "there are no items", 0)
        scalars = [scalar_of(item) for item in items]
        if all(scalar is not None for scalar in scalars):
            known = tuple(_bounded(scalar) for scalar in scalars if scalar is not None)
            return self.terms.table(known, index, _dtype(known[0]), node)
        count = self.terms.constant("int", len(items))
        counted = self.terms.apply("position in pack", (index, count), "int", node)
        found: Value = items[-1]
        for at in range(len(items) - 2, -1, -1):
            here = self.terms.apply("==", (counted, self.terms.constant("int", at)), "bool", node)
            found = self.pick(node, here, items[at], found)
        return found

    def pick(self, node: nodes.Node, condition: Value, a: Value, b: Value) -> Value:
        """Return one of two values that are both computed."""
        if condition is TRUE or condition is FALSE:
            return a if condition is TRUE else b
        x, y = self.term(a, _dtype_of(b)), self.term(b, _dtype_of(a))
        return self.terms.apply("pick", (self.term(condition), x, y), x.dtype, node)

    def junction(self, symbol: str, node: nodes.Node, a: Value, b: Value) -> Value:
        """Return ``a && b`` or ``a || b`` of items of a pack, which are all computed."""
        if not isinstance(a, TERMS) and not isinstance(b, TERMS):
            return OPERATIONS[symbol](a, b)
        if a is TRUE or a is FALSE or b is TRUE or b is FALSE:
            known, other = (a, b) if a is TRUE or a is FALSE else (b, a)
            if known is (TRUE if symbol == "&&" else FALSE):
                return other
        return self.terms.apply(_JUNCTIONS[symbol], (self.term(a), self.term(b)), "bool", node)


def _bounded(scalar: Scalar) -> Scalar:
    if isinstance(scalar, int) and not INT_MIN <= scalar <= INT_MAX:
        raise Overflow(scalar)
    return scalar


def _dtype(scalar: Scalar) -> str:
    if isinstance(scalar, bool):
        return "bool"
    return "int" if isinstance(scalar, int) else "real" if isinstance(scalar, float) else "str"


def _dtype_of(value: Value) -> str | None:
    if isinstance(value, TERMS):
        return value.dtype
    scalar = scalar_of(value)
    return None if scalar is None else _dtype(scalar)


def _decided(symbol: str, a: Value, b: Value) -> Value | None:
    """Return the result that a known side decides; the omitted side could not have failed."""
    if symbol == "&&":
        return b if a is TRUE else a if b is TRUE else FALSE if a is FALSE else None
    if symbol == "||":
        return b if a is FALSE else a if b is FALSE else TRUE if a is TRUE else None
    if symbol == "=>" and (a is TRUE or a is FALSE):
        return b if a is TRUE else TRUE
    return None


def is_dynamic(value: Value) -> bool:
    """Return whether a value, or an item of it, is known at run time only."""
    if isinstance(value, Pack):
        return any(isinstance(item, (*TERMS, Guarded)) for item in value.segments)
    return isinstance(value, (*TERMS, Guarded, Partial))


def items_of(value: Value) -> tuple[Value, ...]:
    """Return the items of a pack that is written out. Raise Failure for anything else."""
    if isinstance(value, Pack) and value.items is not None:
        return value.items
    if isinstance(value, Pack) and value.length.value is not None:
        raise OperationError(rules.VALUE_TOO_LARGE, too_long(value.length.value))
    raise OperationError(UNKNOWN_VALUE, "this is not a pack of known length")


def too_long(count: int) -> str:
    """Return the message for a pack with too many items for a formula."""
    return f"a pack of {count:,} items is too long for a formula: use an index, as in 'i < n'"
