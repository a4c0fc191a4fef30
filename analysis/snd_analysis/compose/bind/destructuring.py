"""The left sides of ``@using``: length hints, lists taken apart and unzipped (2.9)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.compose.limits import MOST_ELEMENTS_TRIED
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.template import Member
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, Maybe, Pack, Value, maybe, split


def destructured(scope: ValueScope, node: nodes.Using, value: Value) -> Iterator[tuple[Symbol, Value]]:
    """Yield the symbols of an entry with their values. Raise EvaluationError if they don't fit."""
    target = node.target
    if isinstance(target, nodes.NameTarget):
        _check_hint(scope, target, node.value, value)
        for name in target.names:
            yield from _named(scope, name, value)
        return
    present = None
    if isinstance(value, Maybe):
        present, value = value.present, value.value
    parts = _parts(scope, target, node.value, value) if isinstance(value, Pack) else [value] * len(target.items)
    for item, part in zip(target.items, parts, strict=True):
        for number, name in enumerate(item.names):
            found = part
            if isinstance(item, nodes.TupleTarget) and isinstance(part, Pack):
                found = (
                    UNDEFINED if part.items is None else Pack(part.items[number :: len(item.names)], dtype=part.dtype)
                )
            yield from _named(scope, name, found if present is None else maybe(present, found))


def _named(scope: ValueScope, name: nodes.Name, value: Value) -> Iterator[tuple[Symbol, Value]]:
    symbol = scope.template.resolution.targets.get(name)
    if isinstance(symbol, Symbol):
        yield symbol, value


def _check_hint(scope: ValueScope, target: nodes.NameTarget, node: nodes.Expression, value: Value) -> None:
    if target.expansion is None or target.expansion.length is None or not isinstance(value, Pack):
        return
    hint = scope.evaluate(target.expansion.length)
    if isinstance(hint, Integer) and shapes.decide_equal(hint, value.length) is EqualityVerdict.DIFFERENT:
        text = written(target.expansion.length)
        message = (
            f"'{written(target.name)}' is declared with {text if text == str(hint) else f'{text} = {hint}'} items, "
            f"but the value has {value.length} here"
        )
        raise EvaluationError(target, rules.LENGTH_MISMATCH, message, ((node, f"this has {value.length} items here"),))


def _parts(scope: ValueScope, target: nodes.ListTarget, node: nodes.Expression, pack: Pack) -> list[Value]:
    lengths = [_length(scope, item) for item in target.items]
    known = sum((length for length in lengths if isinstance(length, Integer)), shapes.constant(0))
    if any(length is UNDEFINED for length in lengths):
        return [UNDEFINED] * len(lengths)
    rest = pack.length - known
    flexible = next((item for item, length in zip(target.items, lengths, strict=True) if length is None), None)
    note = ((node, f"this has {counted(pack.length, 'item')} here"),)
    if flexible is None and shapes.decide_equal(rest, 0) is EqualityVerdict.DIFFERENT:
        message = rules.packs.wrong_item_count(pack.length, f"{known}")
        raise EvaluationError(target, rules.DECOMPOSITION_MISMATCH, message, note)
    most = shapes.bounds(rest)[1]
    if flexible is not None and most is not None and most < 0:
        message = rules.packs.wrong_item_count(pack.length, f"{known} and more")
        raise EvaluationError(target, rules.DECOMPOSITION_MISMATCH, message, note)
    if isinstance(flexible, nodes.TupleTarget):
        count = len(flexible.names)
        if shapes.decide_equal(shapes.remainder(rest, count), 0) is EqualityVerdict.DIFFERENT:
            message = rules.packs.no_equal_packs(counted(rest, "item"), count)
            raise EvaluationError(flexible, rules.DECOMPOSITION_MISMATCH, message, note)
    parts: list[Value] = []
    remaining = pack
    for item, length in zip(target.items, lengths, strict=True):
        parted = split(remaining, length if isinstance(length, Integer) else rest)
        if parted is None:
            return [*parts, *[UNDEFINED] * (len(lengths) - len(parts))]
        first, remaining = parted
        is_single = isinstance(item, nodes.NameTarget) and item.expansion is None
        parts.append(_only(first) if is_single else first)
    return parts


def _only(pack: Pack) -> Value:
    return pack.items[0] if pack.items else UNDEFINED


def _length(scope: ValueScope, item: nodes.NameTarget | nodes.TupleTarget) -> Value | None:
    """Return the number of items of the list that a part takes; None if it takes the remaining ones."""
    count = 1 if isinstance(item, nodes.NameTarget) else len(item.names)
    if item.expansion is None:
        return shapes.constant(count)
    if item.expansion.length is None:
        return None
    length = scope.evaluate(item.expansion.length)
    if length is NULL:
        return UNDEFINED
    return length * count if isinstance(length, Integer) else UNDEFINED


# ---- values of constants: one for all elements, a list of them, or a formula over their indices (2.7) ----------------
class IndexedValue(Struct, frozen=True, eq=False):
    """The value of a constant with index bounds, which need not be written out to be known."""

    scope: ValueScope
    default: nodes.Default

    def elements(self) -> Iterator[Value]:
        """Yield the values in row-major order of the indices. Raise EvaluationError if one has none."""
        symbols, ranges = [], []
        for bound in self.default.bounds:
            symbol = self.scope.template.resolution.targets.get(bound.name)
            limit = self.scope.evaluate(bound.bound)
            limits = limit.items if isinstance(limit, Pack) else (limit,)
            symbols.append((symbol, isinstance(limit, Pack), len(limits or ())))
            for each in limits or ():
                number = each.value if isinstance(each, Integer) else None
                if number is None:
                    return
                ranges.append(range(number))
        scope = ValueScope(self.scope.template, self.scope.values, self.scope.dtypes, self.scope.composing)
        for indices in product(*ranges):
            row = [shapes.constant(index) for index in indices]
            for symbol, packed, count in symbols:
                taken, row = row[:count], row[count:]
                if isinstance(symbol, Symbol):
                    scope.values[symbol] = Pack(taken, dtype="int") if packed else taken[0]
            yield scope.evaluate(self.default.value)


def with_values(scope: ValueScope, member: Member, default: nodes.Default, value: TensorValue) -> TensorValue:
    """Return the declared tensor, or pack of tensors, with its value or values.

    Raise EvaluationError if they don't fit.
    """
    if default.bounds:
        if not isinstance(value, Tensor):
            return value
        _check_bounds(scope, member, default, value)
        indexed = IndexedValue(scope, default)
        for _ in islice(indexed.elements(), MOST_ELEMENTS_TRIED):
            pass
        return replace(value, value=indexed)
    found = scope.evaluate(default.value)
    if isinstance(value, Tensor):
        if isinstance(found, Pack):
            _check_count(member, default, value, found)
        return replace(value, value=None if found is UNDEFINED else found)
    if isinstance(value, Pack) and isinstance(found, Pack):
        return _pack_with_values(default, value, found)
    return value


def _check_bounds(scope: ValueScope, member: Member, default: nodes.Default, tensor: Tensor) -> None:
    """Raise EvaluationError if the indices of a constant do not run over its dimensions."""
    limits: list[tuple[nodes.IndexBound, Value]] = []
    for bound in default.bounds:
        limit = scope.evaluate(bound.bound)
        if isinstance(limit, Pack) and limit.items is None:
            return
        limits += [(bound, each) for each in (limit.items or () if isinstance(limit, Pack) else (limit,))]
    extents = None if tensor.shape is None else Pack(tensor.shape, dtype="int").items
    if extents is None:
        return
    if len(limits) != len(extents):
        message = rules.constants.wrong_index_count(member.name, len(extents), len(limits))
        raise EvaluationError(default.bounds[-1], rules.CONSTANT_INDICES, message)
    for (bound, limit), extent in zip(limits, extents, strict=True):
        if not isinstance(limit, Integer) or not isinstance(extent, Integer):
            continue
        if shapes.decide_equal(limit, extent) is EqualityVerdict.DIFFERENT:
            message = rules.constants.wrong_bound(bound.name.text, limit, member.name, extent)
            raise EvaluationError(bound, rules.CONSTANT_INDICES, message)


def _check_count(member: Member, default: nodes.Default, tensor: Tensor, values: Pack) -> None:
    elements = tensor.elements
    if elements is None or shapes.decide_equal(elements, values.length) is not EqualityVerdict.DIFFERENT:
        return
    assert member.node.shape is not None
    assert tensor.shape is not None
    extents = ", ".join(str(extent) for extent in tensor.shape)
    message = (
        f"there are {values.length} values for '{member.name}', a tensor of the shape [{written(member.node.shape)}], "
        f"which is [{extents}] here and has {elements} elements"
    )
    raise EvaluationError(default.value, rules.CONSTANT_VALUES, message)


def _pack_with_values(default: nodes.Default, pack: Pack, values: Pack) -> Pack:
    if shapes.decide_equal(pack.length, values.length) is EqualityVerdict.DIFFERENT:
        message = f"there are {values.length} values for a pack of {pack.length} constants"
        raise EvaluationError(default.value, rules.CONSTANT_VALUES, message)
    if pack.items is None or values.items is None:
        return pack
    items = [
        replace(tensor, value=value) if isinstance(tensor, Tensor) else tensor
        for tensor, value in zip(pack.items, values.items, strict=True)
    ]
    return Pack(items, dtype=pack.dtype)


__all__ = ["IndexedValue", "with_values"]
