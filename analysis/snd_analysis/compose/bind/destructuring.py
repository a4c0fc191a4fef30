"""The left sides of ``@using``: length hints, lists taken apart and unzipped (2.9)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.compose.scope import ValueScope
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
