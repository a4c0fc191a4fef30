"""The computation of a formula at one point of its index space: terms over positions and elements of tensors (2.12).

Everything known when an operator is bound is folded into constants; packs are taken apart, so a term is a single value.
Equal terms are one object, and are computed once.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import StrEnum
from typing import TypeAlias, TypeVar

from msgspec import Struct

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Foreign, Value

Scalar: TypeAlias = "int | float | bool | str"


class Slot(Struct, Foreign, frozen=True, eq=False):
    """A tensor that formulas read or write; a ``None`` in the shape is an extent that is counted."""

    name: str
    dtype: str
    shape: tuple[int | None, ...]
    limits: tuple[int | None, ...]
    """The greatest that each extent may be, as far as that is known."""
    counters: tuple[Symbol | None, ...]
    is_output: bool
    items: tuple[Slot, ...] = ()
    """Tensors of one shape as a single tensor with an additional first dimension."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


class OpenPack(Struct, Foreign, frozen=True, eq=False):
    """A pack of unknown length of tensors of one shape: a single tensor with an additional first dimension."""

    slot: Slot
    length: Integer


class Bounds(StrEnum):
    """Handling of an index that is out of bounds (2.12, Handling tensor boundaries)."""

    CHECKED = "checked"
    SKIPPED = "skipped"
    REMAPPED = "remapped"


class IndexTerm(Struct, Foreign, frozen=True, eq=False):
    """An index along one dimension; ``below`` and ``above`` are its replacements if it is remapped."""

    index: Term
    bounds: Bounds = Bounds.CHECKED
    below: Term | None = None
    above: Term | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The index and its replacements."""
        return tuple(term for term in (self.index, self.below, self.above) if term is not None)


class Constant(Struct, Foreign, frozen=True, eq=False):
    """A value that is the same everywhere."""

    dtype: str
    value: Scalar
    axes: frozenset[int] = frozenset()


class AxisPosition(Struct, Foreign, frozen=True, eq=False):
    """The index symbol of an axis."""

    axis: int
    axes: frozenset[int]
    dtype: str = "int"


class Next(Struct, Foreign, frozen=True, eq=False):
    """The number of points before this one that satisfy the condition (2.12, Data dependent output shapes)."""

    symbol: Symbol
    dtype: str = "int"
    axes: frozenset[int] = frozenset()


class Read(Struct, Foreign, frozen=True, eq=False):
    """An element of a tensor."""

    slot: Slot
    places: tuple[IndexTerm, ...]
    axes: frozenset[int]
    node: nodes.Node

    @property
    def dtype(self) -> str:
        """The element type of the tensor."""
        return self.slot.dtype


class Apply(Struct, Foreign, frozen=True, eq=False):
    """An operator, function, cast or selection. ``node`` is where it stands."""

    operation: str
    operands: tuple[Term, ...]
    dtype: str
    axes: frozenset[int]
    node: nodes.Node


class ConstantItem(Struct, Foreign, frozen=True, eq=False):
    """An item of a pack of constants."""

    values: tuple[Scalar, ...]
    index: Term
    dtype: str
    axes: frozenset[int]
    node: nodes.Node


class OpenValue(Struct, Foreign, frozen=True, eq=False):
    """A value that is not known until the run, which depends on no data: that of an extent, for example."""

    value: Value
    """The symbolic value."""
    dtype: str
    is_positive: bool
    axes: frozenset[int] = frozenset()


Term: TypeAlias = "Constant | AxisPosition | Next | Read | Apply | ConstantItem | OpenValue"
_T = TypeVar("_T", bound="Term | IndexTerm")

IN_PACK = "position in pack"
"""Operation that makes the position of an item of an index, which counts from the end where it is negative."""
SHORT_CIRCUITING = frozenset({"select", "&&", "||", "=>"})
"""Operations that look at all but their first operand only where that one lets them."""


class Terms:
    """A factory of terms that makes equal terms once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Term | IndexTerm] = {}

    def _once(self, key: Hashable, made: _T) -> _T:
        return self._known.setdefault(key, made)  # type: ignore[return-value]

    def constant(self, dtype: str, value: Scalar) -> Constant:
        """Return a constant. Zeros of different sign are different."""
        key = struct.pack("d", value) if isinstance(value, float) else value
        return self._once(("constant", dtype, key), Constant(dtype, value))

    def open(self, made: OpenValue) -> OpenValue:
        """Return a value that is not known until the run."""
        return self._once(("open", made.dtype, made.value), made)

    def position(self, axis: int) -> AxisPosition:
        """Return the index symbol of an axis."""
        return self._once(("position", axis), AxisPosition(axis, frozenset({axis})))

    def next(self, symbol: Symbol) -> Next:
        """Return the counter of an extent."""
        return self._once(("next", symbol), Next(symbol))

    def place(
        self, index: Term, bounds: Bounds = Bounds.CHECKED, below: Term | None = None, above: Term | None = None
    ) -> IndexTerm:
        """Return an index along one dimension."""
        return self._once(("place", index, bounds, below, above), IndexTerm(index, bounds, below, above))

    def read(self, slot: Slot, places: tuple[IndexTerm, ...], node: nodes.Node) -> Read:
        """Return an element of a tensor."""
        axes = frozenset[int]().union(*(term.axes for place in places for term in place.terms))
        return self._once(("read", slot, places), Read(slot, places, axes, node))

    def apply(self, operation: str, operands: tuple[Term, ...], dtype: str, node: nodes.Node) -> Apply:
        """Return an operation."""
        axes = frozenset[int]().union(*(operand.axes for operand in operands))
        return self._once((operation, operands, dtype), Apply(operation, operands, dtype, axes, node))

    def table(self, values: tuple[Scalar, ...], index: Term, dtype: str, node: nodes.Node) -> ConstantItem:
        """Return an item of a pack of constants."""
        key = tuple(struct.pack("d", value) if isinstance(value, float) else value for value in values)
        return self._once(("table", key, index, dtype), ConstantItem(values, index, dtype, index.axes, node))


def operands_of(term: Term) -> tuple[Term, ...]:
    """Return the terms directly below a term."""
    match term:
        case Apply():
            return term.operands
        case Read():
            return tuple(each for place in term.places for each in place.terms)
        case ConstantItem():
            return (term.index,)
        case _:
            return ()


def subterms(*roots: Term) -> Iterator[Term]:
    """Yield every term below, each once, the roots included."""
    return _below(roots, operands_of)


def unconditional(*roots: Term) -> Iterator[Term]:
    """Yield the terms below that are computed wherever the roots are, without branches of selections."""
    return _below(roots, _computed_operands)


def _computed_operands(term: Term) -> tuple[Term, ...]:
    is_lazy = isinstance(term, Apply) and term.operation in SHORT_CIRCUITING
    return operands_of(term)[:1] if is_lazy else operands_of(term)


def _below(roots: Iterable[Term], operands: Callable[[Term], Iterable[Term]]) -> Iterator[Term]:
    seen: set[Term] = set()
    pending = list(roots)
    while pending:
        term = pending.pop()
        if term not in seen:
            seen.add(term)
            yield term
            pending.extend(operands(term))
