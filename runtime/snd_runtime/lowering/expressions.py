"""Expressions of formulas as values and terms (2.4, 2.4.1, 2.12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate, combinations, pairwise
from typing import Any

from snd_analysis import shapes
from snd_analysis.compose.instance import Instance
from snd_analysis.compose.scope import member_of
from snd_analysis.names.symbols import ShapeMember, Symbol, SymbolKind
from snd_analysis.shapes import FALSE, TRUE, Integer, Truth
from snd_analysis.syntax import nodes
from snd_analysis.values import (
    FOLDS,
    FUNCTIONS,
    NULL,
    UNDEFINED,
    EvaluationError,
    Failure,
    Pack,
    Slice,
    Unknown,
    Value,
    default_value,
    elementwise,
    evaluate,
    index,
    sliced,
)
from snd_analysis.values import lists as packs
from snd_analysis.values.replacement import replaced
from snd_runtime.lowering.operands import TERMS, Guarded, Operations, Partial, is_dynamic
from snd_runtime.lowering.tensors import Tensors
from snd_runtime.lowering.terms import Slot, Term, Terms

# A pack that is longer is not taken apart: packs are short by their nature.
LONGEST_PACK = 1 << 16

_DECIDING = {"&&": FALSE, "||": TRUE, "=>": FALSE}
_LOCAL_KINDS = frozenset({SymbolKind.INDEX, SymbolKind.LOCAL})
_TENSOR_KINDS = frozenset({SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.VARIABLE, SymbolKind.CONSTANT})


class Expressions:
    """Evaluates expressions as far as they are known, and makes terms of the rest.

    ``bindings`` are the index symbols and loop-local values. Raises ``snd_analysis.values.EvaluationError``.
    """

    def __init__(self, instance: Instance, tensors: Tensors, terms: Terms) -> None:
        self.instance = instance
        self.tensors = tensors
        self.terms = terms
        self.operations = Operations(terms)
        self.bindings: dict[Symbol, Value] = {}
        self._targets = instance.unit.resolution.targets
        self._known: dict[nodes.Node, bool] = {}

    # ---- what is known -----------------------------------------------------------------------------------------------
    def evaluate(self, node: nodes.Expression) -> Value:
        """A value or term, a pack of them, or NULL."""
        if self._is_known(node):
            value = evaluate(node, self.instance.scope)
            if value is UNDEFINED or isinstance(value, Unknown) or (isinstance(value, Integer) and value.value is None):
                raise EvaluationError(node, "unknown-value", "the value of this is not known when the formula is run")
            return value
        try:
            value = _FORMS[type(node)](self, node)
        except Failure as failure:
            raise EvaluationError(node, failure.rule, failure.message) from None
        if value is UNDEFINED:
            raise EvaluationError(node, "unknown-value", "this has no value in a formula")
        if isinstance(value, Pack) and value.items is not None and len(value.items) > LONGEST_PACK:
            raise EvaluationError(
                node, "limit-exceeded", f"a pack of {len(value.items)} items is too long for a formula"
            )
        return value

    def _is_known(self, node: nodes.Node) -> bool:
        known = self._known.get(node)
        if known is None:
            if isinstance(node, nodes.Qualified):
                known = not self._is_local(self._targets.get(node))
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
        return target.kind is SymbolKind.EXTENT and self.instance.scope.values.get(target) in self.tensors.counters

    # ---- names and brackets ------------------------------------------------------------------------------------------
    def _qualified(self, node: nodes.Qualified) -> Value:
        target = self._targets.get(node)
        if isinstance(target, ShapeMember):
            return member_of(self.tensors.models.get(target.tensor, UNDEFINED), target.member)
        if not isinstance(target, Symbol):
            return UNDEFINED
        if target in self.bindings:
            return self.bindings[target]
        if target in self.tensors.values:
            return self.tensors.values[target]
        value = self.instance.scope.values.get(target, UNDEFINED)
        counter = self.tensors.counters.get(value) if isinstance(value, Integer) else None
        return value if counter is None else self.terms.next(counter)

    def _parenthesized(self, node: nodes.Parenthesized) -> Value:
        return self.evaluate(node.inner)

    def _bounded(self, node: nodes.Bounded) -> Value:
        parts = [self.evaluate(part) for part in (node.value, node.below, node.above) if part is not None]
        if node.below is None or node.above is None:
            return self.lifted(node, lambda one: elementwise(lambda i: Guarded(i, None, None), one), parts[0])
        return self.lifted(node, lambda *three: elementwise(Guarded, *three), *parts)

    # ---- operators ---------------------------------------------------------------------------------------------------
    def lifted(self, node: nodes.Node, function: Callable[..., Value], *operands: Value) -> Value:
        """The function of operands that are not null; else null (2.4.1)."""
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

    def _unary(self, node: nodes.Unary) -> Value:
        value = self.evaluate(node.operand)
        symbol = node.operator.text
        if symbol == "?":
            return value.present if isinstance(value, Partial) else shapes.truth(value is not NULL)
        apply = self.operations.unary
        return self.lifted(node, lambda a: elementwise(lambda x: apply(symbol, node, x), a), value)

    def _binary(self, node: nodes.Binary) -> Value:
        symbol = node.operator.text
        left = self.evaluate(node.left)
        if left is _DECIDING.get(symbol, UNDEFINED):
            # Null wins, but the right side need not have a value.
            try:
                return NULL if self.evaluate(node.right) is NULL else shapes.truth(symbol != "&&")
            except EvaluationError:
                return shapes.truth(symbol != "&&")
        right = self.evaluate(node.right)
        if symbol == "is":
            return self.lifted(node, lambda a, b: elementwise(_identical, a, b), left, right)
        if symbol == "in":
            return self.lifted(node, lambda a, b: self._contained(node, a, b), left, right)
        apply = self.operations.binary
        return self.lifted(node, lambda a, b: elementwise(lambda x, y: apply(symbol, node, x, y), a, b), left, right)

    def _contained(self, node: nodes.Binary, item: Value, pack: Value) -> Value:
        items = _items(pack)

        def contained(one: Value) -> Value:
            found: Value = FALSE
            for other in items:
                equal = self.operations.binary("==", node, one, other)
                found = self.operations.junction("||", node, found, equal)
            return found

        return elementwise(contained, item)

    def _coalesce(self, node: nodes.Coalesce) -> Value:
        value = self.evaluate(node.value)
        if value is NULL:
            return self.evaluate(node.fallback)
        if not isinstance(value, Partial):
            return value
        return self._chosen(node, value.present, value.value, self.evaluate(node.fallback))

    def _select(self, node: nodes.Select) -> Value:
        condition = self.evaluate(node.condition)
        return self.lifted(node, lambda known: self._selected(node, known), condition)

    def _selected(self, node: nodes.Select, condition: Value) -> Value:
        if condition is TRUE:
            return self._spread(node, self.evaluate(node.consequent), node.alternative)
        if condition is FALSE:
            if node.alternative is None:
                return NULL
            return self._spread(node, self.evaluate(node.alternative), node.consequent)
        if node.alternative is None:
            if isinstance(condition, Pack):
                condition = self._folded(node, "&&", _items(condition))
                return self._selected(node, condition)
            return Partial(self.operations.term(condition), self.evaluate(node.consequent))
        if isinstance(condition, Pack) and not is_dynamic(condition):
            return self._selected_by_item(node, node.alternative, condition)
        return self._chosen(node, condition, self.evaluate(node.consequent), self.evaluate(node.alternative))

    def _spread(self, node: nodes.Select, value: Value, other: nodes.Expression | None) -> Value:
        """A single value stands for as many as the other branch has."""
        if isinstance(value, Pack | Partial) or value is NULL or other is None:
            return value
        try:
            rest = self.evaluate(other)
        except EvaluationError:
            return value
        return elementwise(lambda _, one: one, rest, value) if isinstance(rest, Pack) else value

    def _selected_by_item(self, node: nodes.Select, alternative: nodes.Expression, condition: Pack) -> Value:
        """By a pack of known conditions: a branch that no item takes need not have a value."""
        taken = _items(condition)
        rows = [
            self.evaluate(branch) if decision in taken else TRUE
            for decision, branch in ((TRUE, node.consequent), (FALSE, alternative))
        ]
        return self._chosen(node, condition, *rows)

    def _chosen(self, node: nodes.Node, condition: Value, a: Value, b: Value) -> Value:
        if a is NULL and b is NULL:
            return NULL
        if (a is NULL) != (b is NULL) and not isinstance(condition, Pack):
            present = self.operations.term(condition)
            if a is NULL:
                present = self.operations.term(self.operations.unary("!", node, present))
            return Partial(present, b if a is NULL else a)
        select = self.operations.select
        return self.lifted(node, lambda x, y: elementwise(lambda c, p, q: select(node, c, p, q), condition, x, y), a, b)

    # ---- folds -------------------------------------------------------------------------------------------------------
    def _fold(self, node: nodes.Fold) -> Value:
        value = self.evaluate(node.operand)
        symbol = node.operator.text
        if node.cumulative:
            apply = self.operations.binary
            return self.lifted(
                node, lambda pack: Pack(accumulate(_items(pack), lambda a, b: apply(symbol, node, a, b))), value
            )
        return self.lifted(node, lambda pack: self._folded(node, symbol, _items(pack), pack.dtype), value)

    def _folded(self, node: nodes.Node, symbol: str, items: Sequence[Value], dtype: str | None = None) -> Value:
        if symbol == ":=":
            return items[0] if items and all(item is items[0] for item in items) else NULL
        if not items:
            return FOLDS[symbol](Pack((), dtype=dtype))

        def both(a: Value, b: Value) -> Value:
            if symbol in ("&&", "||"):
                return self.operations.junction(symbol, node, a, b)
            return self.operations.binary(symbol, node, a, b)

        if symbol in ("+", "*", "<?", ">?", "&&", "||"):
            return reduce(both, items)
        pairs = combinations(items, 2) if symbol == "!=" else pairwise(items)
        conditions = [both(a, b) for a, b in pairs]
        every: Value = TRUE
        for condition in conditions:
            every = self.operations.junction("&&", node, every, condition)
        return every

    # ---- packs -------------------------------------------------------------------------------------------------------
    def _list(self, node: nodes.List) -> Value:
        parts = [self.list_item(item) for item in node.items]
        return self.lifted(node, lambda *values: Pack([each for value in values for each in _as_items(value)]), *parts)

    def list_item(self, item: nodes.ListItem) -> Value:
        """What an item of a list or an index contributes; a pack for more than one."""
        if isinstance(item, nodes.Expanded):
            return self._expanded(item)
        if isinstance(item, nodes.Range):
            return self._range(item)
        assert not isinstance(item, nodes.Zip)
        return self.evaluate(item)

    def _expanded(self, node: nodes.Expanded) -> Value:
        inner = node.item
        if isinstance(inner, nodes.Zip):
            rows = [self.evaluate(row) for row in inner.items]
            value = self.lifted(node, lambda *given: packs.zipped(given), *rows)
        else:
            value = self.evaluate(inner)
        length = node.expansion.length
        if length is None:
            return value
        return self.lifted(node, packs.repeated, value, self.evaluate(length))

    def _range(self, node: nodes.Range) -> Value:
        if node.first is None or node.last is None:
            return UNDEFINED
        given = [self.evaluate(part) for part in (node.first, node.last, node.step) if part is not None]
        return self.lifted(node, _range_of, *given)

    def _subscript(self, node: nodes.Subscript) -> Value:
        from snd_runtime.lowering.accesses import accessed

        target = self.evaluate(node.target)
        if target is NULL:
            return NULL
        if isinstance(target, Slot | Chosen) or _is_pack_of_tensors(target):
            return accessed(self, node, target, node.index)
        return self.pack_item(node, target, node.index)

    def pack_item(self, node: nodes.Subscript, target: Value, at: nodes.Index) -> Value:
        """``a[i]`` on packs of values or of tensors."""
        part = at.items[0]
        if isinstance(part, nodes.Range):
            return self._sliced(node, target, part)
        place = self.list_item(part)
        return self.lifted(node, lambda pack, i: self._item(node, pack, i), target, place)

    def _sliced(self, node: nodes.Node, target: Value, part: nodes.Range) -> Value:
        given = [self.evaluate(bound) for bound in (part.first, part.last, part.step) if bound is not None]
        return self.lifted(node, lambda pack, *bounds: sliced(pack, slice_of(part, bounds)), target, *given)

    def _item(self, node: nodes.Subscript, pack: Value, place: Value) -> Value:
        if isinstance(place, Pack) and is_dynamic(place):
            return elementwise(lambda one: self._item(node, pack, one), place)
        if not isinstance(place, TERMS):
            return index(pack, place)
        items = _items(pack)
        if items and isinstance(items[0], Slot):
            return Chosen(items, place)
        return self.operations.item(node, items, place)

    def _substitution(self, node: nodes.Substitution) -> Value:
        target = self.evaluate(node.target)
        part = node.index.items[0]
        place: Value
        if isinstance(part, nodes.Range):
            naturals = packs.range_(shapes.constant(0), target.length, None) if isinstance(target, Pack) else target
            place = self._sliced(node, naturals, part)
        else:
            place = self.list_item(part)
        value = self.evaluate(node.value)
        return self.lifted(node, lambda *three: self._replaced(node, *three), target, place, value)

    def _replaced(self, node: nodes.Substitution, target: Value, place: Value, value: Value) -> Value:
        if not is_dynamic(place):
            return replaced(target, place, value)
        result = _items(target)
        places = _items(place) if isinstance(place, Pack) else (place,)
        values = _items(value) if isinstance(value, Pack) else (value,) * len(places)
        for one, new in zip(places, values, strict=True):
            count = self.terms.constant("int", len(result))
            counted = self.terms.apply("position in pack", (self.operations.term(one), count), "int", node)
            result = tuple(
                self.operations.pick(node, self.operations.binary("==", node, counted, shapes.constant(at)), new, old)
                for at, old in enumerate(result)
            )
        return Pack(result)

    # ---- calls -------------------------------------------------------------------------------------------------------
    def _call(self, node: nodes.Call) -> Value:
        dtype = self.instance.scope.dtype(node.function)
        if dtype is not None and not node.arguments:
            return default_value(dtype)
        argument = node.arguments[0] if node.arguments else None
        if argument is None or isinstance(argument, nodes.Tilde):
            return UNDEFINED
        if dtype is not None:
            return self._casted(node, dtype, argument)
        name = node.function.text
        if name not in FUNCTIONS:
            return UNDEFINED
        apply = self.operations.function
        return self.lifted(node, lambda a: elementwise(lambda x: apply(name, node, x), a), self.evaluate(argument))

    def _cast(self, node: nodes.Cast) -> Value:
        dtype = self.instance.scope.element_type(node.type)
        return default_value(dtype) if node.value is None else self._casted(node, dtype, node.value)

    def _casted(self, node: nodes.Expression, dtype: str, argument: nodes.Expression) -> Value:
        apply = self.operations.cast
        return self.lifted(node, lambda a: elementwise(lambda x: apply(dtype, node, x), a), self.evaluate(argument))

    def _nothing(self, node: nodes.Node) -> Value:
        return UNDEFINED


class Chosen:
    """A tensor of a pack, chosen at run time."""

    __slots__ = ("index", "slots")

    def __init__(self, slots: Sequence[Value], index: Term) -> None:
        self.slots = tuple(slot for slot in slots if isinstance(slot, Slot))
        self.index = index


def _identical(a: Value, b: Value) -> Truth:
    return shapes.truth(a is b or (not is_dynamic(a) and not is_dynamic(b) and type(a) is type(b) and a == b))


def _range_of(first: Value, last: Value, step: Value = None) -> Value:
    if not isinstance(first, Integer) or not isinstance(last, Integer) or not isinstance(step, Integer | None):
        raise Failure("unknown-value", "the bounds of a range must be known when the formula is bound")
    return packs.range_(first, last, step)


def slice_of(part: nodes.Range, given: Sequence[Value]) -> Slice:
    """``first:last:step`` with the bounds that are given."""
    bounds: list[Any] = []
    rest = iter(given)
    for bound in (part.first, part.last, part.step):
        value = None if bound is None else next(rest)
        if value is not None and not isinstance(value, Integer):
            raise Failure("unknown-value", "the bounds of a slice must be known when the formula is bound")
        bounds.append(value)
    return Slice(*bounds)


def _is_pack_of_tensors(value: Value) -> bool:
    return isinstance(value, Pack) and any(isinstance(item, Slot) for item in value.segments)


def _as_items(value: Value) -> Sequence[Value]:
    return _items(value) if isinstance(value, Pack) else (value,)


def _items(value: Value) -> tuple[Value, ...]:
    """The items of a pack that is written out. Raises Failure for anything else."""
    if isinstance(value, Pack) and value.items is not None:
        return value.items
    raise Failure("unknown-value", "this is not a pack of known length")


_FORMS: dict[type[nodes.Node], Callable[..., Value]] = {
    nodes.Literal: Expressions._nothing,
    nodes.String: Expressions._nothing,
    nodes.ErrorExpression: Expressions._nothing,
    nodes.Qualified: Expressions._qualified,
    nodes.Parenthesized: Expressions._parenthesized,
    nodes.Bounded: Expressions._bounded,
    nodes.Unary: Expressions._unary,
    nodes.Binary: Expressions._binary,
    nodes.Coalesce: Expressions._coalesce,
    nodes.Select: Expressions._select,
    nodes.Fold: Expressions._fold,
    nodes.List: Expressions._list,
    nodes.Subscript: Expressions._subscript,
    nodes.Substitution: Expressions._substitution,
    nodes.Call: Expressions._call,
    nodes.Cast: Expressions._cast,
}

__all__ = ["LONGEST_PACK", "Chosen", "Expressions", "slice_of"]
