"""Elements of tensors (2.4, Tensor access; 2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE
from snd_analysis.compose.formulas.operands import TERMS, Chosen, Guarded, Partial
from snd_analysis.compose.formulas.packing import list_item, pack_item, slice_of
from snd_analysis.compose.formulas.terms import IN_PACK, Bounds, IndexTerm, OpenPack, Slot, Term
from snd_analysis.compose.limits import LONGEST_PACK
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import NULL, Pack, Value, range_, sliced


class VariesWith(Exception):  # noqa: N818
    """A value that must be known depends on the position along these axes: they have to be unrolled."""

    def __init__(self, node: nodes.Node, axes: frozenset[int]) -> None:
        super().__init__()
        self.node = node
        self.axes = axes


def subscript(expressions: Expressions, node: nodes.Subscript) -> Value:
    """Return ``a[i]``: an item of a pack, or an element of a tensor."""
    target = expressions.evaluate(node.target)
    if target is NULL:
        return NULL
    if isinstance(target, Slot | Chosen | OpenPack) or _is_pack_of_tensors(target):
        return accessed(expressions, node, target, node.index)
    return pack_item(expressions, node, target, node.index)


def _is_pack_of_tensors(value: Value) -> bool:
    return isinstance(value, Pack) and any(isinstance(item, Slot) for item in value.segments)


Accessed = tuple[Slot, tuple[IndexTerm, ...]]
"""A tensor and the place of an element in it."""


def accessed(expressions: Expressions, node: nodes.Subscript, target: Value, index: nodes.Index) -> Value:
    """Return ``xs[k]``, ``x[i, j]`` or ``xs[i, j]``."""
    if isinstance(target, Pack | OpenPack) and is_pack_index(index):
        return pack_item(expressions, node, target, index)
    elements = access(expressions, node, target, index)
    if elements is None:
        return NULL
    reads = [expressions.terms.read(slot, places, node) for slot, places in elements.items]
    return Pack(reads, dtype=elements.dtype) if elements.is_pack else reads[0]


def is_pack_index(index: nodes.Index) -> bool:
    """Return whether an index, neither expanded nor followed by a comma, takes items of a pack of tensors."""
    return (
        len(index.items) == 1
        and not index.trailing_comma
        and not isinstance(index.items[0], nodes.Expanded | nodes.Zip)
    )


class Elements:
    """The elements that an access means; more than one, or a pack of one, if ``is_pack``."""

    __slots__ = ("dtype", "is_pack", "items")

    def __init__(self, items: Sequence[Accessed], is_pack: bool, dtype: str | None) -> None:
        self.items = tuple(items)
        self.is_pack = is_pack
        self.dtype = dtype


def access(expressions: Expressions, node: nodes.Node, target: Value, index: nodes.Index) -> Elements | None:
    """Return the elements at an index of a tensor, of a pack of tensors, or of one chosen at run time.

    None for null.
    """
    parts = []
    for item in index.items:
        part = _index_part(expressions, item)
        if part is None:
            return None
        parts.append(part)
    if isinstance(target, OpenPack):
        raise EvaluationError(node, UNKNOWN_VALUE, "how many tensors there are is not known")
    if isinstance(target, Pack):
        slots = [slot for slot in target.segments if isinstance(slot, Slot)]
        rows = [each for slot in slots for each in _of_tensor(expressions, node, slot, (), parts)[0]]
        return Elements(rows, True, slots[0].dtype if slots else None)
    slot, first = _stacked(expressions, node, target) if isinstance(target, Chosen) else (target, ())
    assert isinstance(slot, Slot)
    items, is_pack = _of_tensor(expressions, node, slot, first, parts)
    return Elements(items, is_pack, slot.dtype)


_Part = tuple[bool, "Value | nodes.Range"]
"""True if a pack covers several dimensions, and the index, or a ``nodes.Range`` along a dimension."""


def _index_part(expressions: Expressions, item: nodes.ListItem) -> _Part | None:
    if isinstance(item, nodes.Range):
        return False, item
    value = list_item(expressions, item)
    return None if value is NULL else (isinstance(item, nodes.Expanded), value)


def _stacked(expressions: Expressions, node: nodes.Node, chosen: Chosen) -> tuple[Slot, tuple[IndexTerm, ...]]:
    terms = expressions.terms
    if chosen.pack is not None:
        length = expressions.tensors.opened(node, chosen.pack.length)
        return chosen.pack.slot, (terms.place(terms.apply(IN_PACK, (chosen.index, length), "int", node)),)
    slot = expressions.tensors.stacked(chosen.slots, with_open_extents=expressions.stacks_open)
    if slot is None:
        if chosen.index.axes:
            raise VariesWith(node, chosen.index.axes)
        message = "tensors of different shapes can't be chosen among by a value that is read from a tensor"
        raise EvaluationError(node, UNKNOWN_VALUE, message)
    count = terms.constant("int", len(chosen.slots))
    return slot, (terms.place(terms.apply(IN_PACK, (chosen.index, count), "int", node)),)


def _of_tensor(
    expressions: Expressions, node: nodes.Node, slot: Slot, first: tuple[IndexTerm, ...], parts: Sequence[_Part]
) -> tuple[list[Accessed], bool]:
    columns: list[Value] = list(first)
    is_pack = False
    for covers_several, value in parts:
        if isinstance(value, nodes.Range):
            columns.append(_along(expressions, node, slot, len(columns), value))
        elif covers_several and isinstance(value, Pack):
            assert value.items is not None
            columns.extend(value.items)
        else:
            columns.append(value)
    if len(columns) != slot.rank:
        count = len(columns) - len(first)
        given = "is 1 index" if count == 1 else f"are {count} indices"
        message = f"'{slot.name}' has the rank {slot.rank}, but here {given}"
        raise EvaluationError(node, rules.INDEX_COUNT, message)
    is_pack = any(isinstance(column, Pack) for column in columns)
    rows = _rows(node, columns)
    return [(slot, tuple(_place(expressions, node, value) for value in row)) for row in rows], is_pack


def _along(expressions: Expressions, node: nodes.Node, slot: Slot, dimension: int, part: nodes.Range) -> Value:
    extent = slot.shape[dimension] if dimension < slot.rank else None
    if extent is None:
        raise EvaluationError(node, UNKNOWN_VALUE, "the extent along this dimension is not known yet")
    if extent > LONGEST_PACK:
        message = f"{extent:,} elements along a dimension are too many for a pack: use an index of the formula"
        raise EvaluationError(node, rules.VALUE_TOO_LARGE, message)
    naturals = range_(shapes.constant(0), shapes.constant(extent), None)
    given = [expressions.evaluate(bound) for bound in (part.first, part.last, part.step) if bound is not None]
    return sliced(naturals, slice_of(part, given))


def _rows(node: nodes.Node, columns: Sequence[Value]) -> Iterator[tuple[Value, ...]]:
    packed = [column for column in columns if isinstance(column, Pack)]
    if not packed:
        yield tuple(columns)
        return
    items = packed[0].items
    if len(packed) > 1 or items is None:
        raise EvaluationError(node, rules.TWO_PACKED_INDICES, "at most one dimension can be indexed by a pack")
    for item in items:
        yield tuple(item if column is packed[0] else column for column in columns)


def _place(expressions: Expressions, node: nodes.Node, value: Value) -> IndexTerm:
    terms = expressions.terms
    if isinstance(value, IndexTerm):
        return value
    if isinstance(value, Guarded):
        index = _term(expressions, node, value.index)
        if value.below is None or value.above is None:
            return terms.place(index, Bounds.SKIPPED)
        below, above = _term(expressions, node, value.below), _term(expressions, node, value.above)
        return terms.place(index, Bounds.REMAPPED, below, above)
    return terms.place(_term(expressions, node, value))


def _term(expressions: Expressions, node: nodes.Node, value: Value) -> Term:
    if isinstance(value, TERMS):
        return value
    if isinstance(value, Partial) or value is NULL:
        raise EvaluationError(node, rules.NULL_NOT_ALLOWED, "an index can't be null")
    return expressions.term(node, value)
