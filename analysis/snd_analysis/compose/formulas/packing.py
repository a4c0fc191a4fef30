"""Packs in formulas: lists, items, slices and substitutions (2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE
from snd_analysis.compose.formulas.operands import TERMS, Chosen, is_dynamic, items_of
from snd_analysis.compose.formulas.terms import OpenPack, Slot
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import (
    UNDEFINED,
    OperationError,
    Pack,
    Slice,
    Value,
    elementwise,
    index,
    range_,
    repeated,
    replaced,
    sliced,
    zipped,
)


def list_value(expressions: Expressions, node: nodes.List) -> Value:
    """Evaluate ``[a, b.., c:d]``."""
    parts = [list_item(expressions, item) for item in node.items]
    return expressions.lifted(
        node, lambda *values: Pack([each for value in values for each in _as_items(value)]), *parts
    )


def list_item(expressions: Expressions, item: nodes.ListItem) -> Value:
    """Return the items that an item of a list or an index expands to; a pack for more than one."""
    if isinstance(item, nodes.Expanded):
        return _expanded(expressions, item)
    if isinstance(item, nodes.Range):
        return _range(expressions, item)
    assert not isinstance(item, nodes.Zip)
    return expressions.evaluate(item)


def _expanded(expressions: Expressions, node: nodes.Expanded) -> Value:
    inner = node.item
    if isinstance(inner, nodes.Zip):
        rows = [expressions.evaluate(row) for row in inner.items]
        value = expressions.lifted(node, lambda *given: zipped(given), *rows)
    else:
        value = expressions.evaluate(inner)
    length = node.expansion.length
    if length is None:
        return value
    return expressions.lifted(node, repeated, value, expressions.evaluate(length))


def _range(expressions: Expressions, node: nodes.Range) -> Value:
    if node.first is None or node.last is None:
        return UNDEFINED
    given = [expressions.evaluate(part) for part in (node.first, node.last, node.step) if part is not None]
    return expressions.lifted(node, _range_of, *given)


def pack_item(expressions: Expressions, node: nodes.Subscript, target: Value, at: nodes.Index) -> Value:
    """Return ``a[i]`` on packs of values or of tensors."""
    part = at.items[0]
    if isinstance(target, OpenPack):
        return _item_of_open(expressions, node, target, part)
    if isinstance(part, nodes.Range):
        return _sliced(expressions, node, target, part)
    place = list_item(expressions, part)
    return expressions.lifted(node, lambda pack, i: _item(expressions, node, pack, i), target, place)


def _item_of_open(expressions: Expressions, node: nodes.Subscript, pack: OpenPack, part: nodes.ListItem) -> Value:
    place = UNDEFINED if isinstance(part, nodes.Range) else list_item(expressions, part)
    if isinstance(place, Pack) or place is UNDEFINED:
        raise OperationError(UNKNOWN_VALUE, "how many tensors there are is not known")
    return expressions.lifted(node, lambda i: Chosen((), expressions.term(node, i), pack), place)


def _sliced(expressions: Expressions, node: nodes.Node, target: Value, part: nodes.Range) -> Value:
    given = [expressions.evaluate(bound) for bound in (part.first, part.last, part.step) if bound is not None]
    return expressions.lifted(node, lambda pack, *bounds: sliced(pack, slice_of(part, bounds)), target, *given)


def _item(expressions: Expressions, node: nodes.Subscript, pack: Value, place: Value) -> Value:
    if isinstance(place, Pack) and is_dynamic(place):
        return elementwise(lambda one: _item(expressions, node, pack, one), place)
    if not isinstance(place, TERMS):
        return index(pack, place)
    items = items_of(pack)
    if items and isinstance(items[0], Slot):
        return Chosen(items, place)
    return expressions.operations.item(node, items, place)


def substitution(expressions: Expressions, node: nodes.Substitution) -> Value:
    """Evaluate ``a[i] <- e``."""
    target = expressions.evaluate(node.target)
    part = node.index.items[0]
    place: Value
    if isinstance(part, nodes.Range):
        naturals = range_(shapes.constant(0), target.length, None) if isinstance(target, Pack) else target
        place = _sliced(expressions, node, naturals, part)
    else:
        place = list_item(expressions, part)
    value = expressions.evaluate(node.value)
    return expressions.lifted(node, lambda *three: _replaced(expressions, node, *three), target, place, value)


def _replaced(expressions: Expressions, node: nodes.Substitution, target: Value, place: Value, value: Value) -> Value:
    if not is_dynamic(place):
        return replaced(target, place, value)
    result = items_of(target)
    places = items_of(place) if isinstance(place, Pack) else (place,)
    values = items_of(value) if isinstance(value, Pack) else (value,) * len(places)
    for one, new in zip(places, values, strict=True):
        count = expressions.terms.constant("int", len(result))
        counted = expressions.terms.apply("position in pack", (expressions.operations.term(one), count), "int", node)
        result = tuple(
            expressions.operations.pick(
                node, expressions.operations.binary("==", node, counted, shapes.constant(at)), new, old
            )
            for at, old in enumerate(result)
        )
    return Pack(result)


def _range_of(first: Value, last: Value, step: Value | None = None) -> Value:
    if not isinstance(first, Integer) or not isinstance(last, Integer) or not isinstance(step, Integer | None):
        raise OperationError(UNKNOWN_VALUE, "the bounds of a range must be known when the formula is bound")
    return range_(first, last, step)


def slice_of(part: nodes.Range, given: Sequence[Value]) -> Slice:
    """Return ``first:last:step`` with the bounds that are given."""
    bounds: list[Any] = []
    rest = iter(given)
    for bound in (part.first, part.last, part.step):
        value = None if bound is None else next(rest)
        if value is not None and not isinstance(value, Integer):
            raise OperationError(UNKNOWN_VALUE, "the bounds of a slice must be known when the formula is bound")
        bounds.append(value)
    return Slice(*bounds)


def _as_items(value: Value) -> Sequence[Value]:
    return items_of(value) if isinstance(value, Pack) else (value,)
