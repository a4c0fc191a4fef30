"""Helper symbols: their types, length hints, and lists taken apart (2.9)."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.declarations.shape_rules import check_length
from snd_analysis.skriptnd.types.expressions.functions import scalars
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import BOOL, UNTYPED, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

Items = tuple["Integer | None", ...]


def define_using(context: Context) -> None:
    """Type the symbols of ``@using`` in order."""
    for base, entry in entries_of(context.definition, BlockKind.USING, nodes.Using):
        context.base = base
        value = infer(context, entry.value)
        if not scalars(context, entry.value, value):
            value = UNTYPED
        if isinstance(entry.target, nodes.ListTarget):
            _take_apart(context, entry.target, entry.value, value)
        else:
            hinted = _hinted(context, entry.target, entry.value, value)
            for name in entry.target.names:
                _define(context, name, hinted)


def _define(context: Context, name: nodes.Name, typed: Typed) -> None:
    symbol = context.symbol(name)
    if symbol is not None:
        context.symbols[symbol] = typed


def _hinted(context: Context, target: nodes.NameTarget, node: nodes.Expression, value: Typed) -> Typed:
    """Return the value of ``a..(n) = …``, whose length must be the written one."""
    if target.expansion is None:
        return value
    hint = _length(context, target.expansion)
    if value.type is None:
        return UNTYPED
    if value.type.length is None:
        message = f"'{written(target.name)}..' is a pack, but this is a single value of type '{value.type}'"
        context.report(rules.PACK_EXPECTED, target, message)
        return UNTYPED
    if hint is None:
        return value
    if shapes.decide_equal(hint, value.type.length) is EqualityVerdict.DIFFERENT:
        message = (
            f"'{written(target.name)}' is declared with {counted(hint, 'item')}, but the value has {value.type.length}"
        )
        context.report(rules.LENGTH_MISMATCH, target, message, (context.note(node, f"this is '{value.type}'"),))
        return value
    length = value.type.length if value.type.length.value is not None else hint
    return replace(value, type=value.type.of_length(length))


def _length(context: Context, expansion: nodes.Expansion) -> Integer | None:
    if expansion.length is None:
        return None
    typed = check_length(context, expansion.length, "the length of a pack")
    if typed.type is not None and typed.type.dtype == BOOL:
        return shapes.opaque("length")
    if typed.value is None and typed.type is None:
        return shapes.opaque("length")
    return typed.value if typed.value is not None else shapes.opaque("length")


def _take_apart(context: Context, target: nodes.ListTarget, node: nodes.Expression, value: Typed) -> None:
    """Unpack ``[a, b.., (c, d)..] = …``: the counts must match, and at most one part takes the remaining items."""
    lengths = [_part_length(context, part) for part in target.items]
    right = _is_right(context, target, node, value, lengths)
    total = value.type.length if right and value.type is not None else None
    rest = None if total is None else total - sum((each for each in lengths if each is not None), shapes.constant(0))
    at: Integer = shapes.constant(0)
    for part, length in zip(target.items, lengths, strict=True):
        if total is None or rest is None:
            for name in part.names:
                _define(context, name, UNTYPED)
            continue
        taken = rest if length is None else length
        _define_part(context, part, value, at, taken)
        at = at + taken


def _part_length(context: Context, part: nodes.NameTarget | nodes.TupleTarget) -> Integer | None:
    """Return how many items a part takes; None for all that are left."""
    if part.expansion is None:
        return shapes.constant(1)
    length = _length(context, part.expansion)
    return length if length is None or isinstance(part, nodes.NameTarget) else length * len(part.names)


def _is_right(
    context: Context, target: nodes.ListTarget, node: nodes.Expression, value: Typed, lengths: list[Integer | None]
) -> bool:
    open_parts = [part for part, length in zip(target.items, lengths, strict=True) if length is None]
    tuples = [part for part in target.items if isinstance(part, nodes.TupleTarget)]
    for part in tuples:
        if part.expansion is None:
            context.report(rules.ZIP_NOT_EXPANDED, part, rules.packs.tuple_within("a list"))
            return False
    if value.type is None:
        return False
    if value.type.length is None:
        message = f"only a pack can be decomposed, but this is a single value of type '{value.type}'"
        context.report(rules.PACK_EXPECTED, node, message)
        return False
    if len(open_parts) > 1:
        message = "only one part of a list can take the remaining items: give the other part a length, as in '..(n)'"
        notes = (context.note(open_parts[0], "the first one is here"),)
        context.report(rules.AMBIGUOUS_DECOMPOSITION, open_parts[1], message, notes)
        return False
    known = sum((length for length in lengths if length is not None), shapes.constant(0))
    return _fits(context, target, node, value.type.length, known, open_parts[0] if open_parts else None)


def _fits(
    context: Context,
    target: nodes.ListTarget,
    node: nodes.Expression,
    total: Integer,
    known: Integer,
    open_part: nodes.NameTarget | nodes.TupleTarget | None,
) -> bool:
    notes = (context.note(node, f"this has {counted(total, 'item')}"),)
    if open_part is None:
        if shapes.decide_equal(total, known) is EqualityVerdict.DIFFERENT:
            message = rules.packs.wrong_item_count(total, f"{known}")
            context.report(rules.DECOMPOSITION_MISMATCH, target, message, notes)
            return False
        return True
    rest = total - known
    _, most = shapes.bounds(rest)
    if most is not None and most < 0:
        message = rules.packs.wrong_item_count(total, f"{known} and more")
        context.report(rules.DECOMPOSITION_MISMATCH, target, message, notes)
        return False
    if isinstance(open_part, nodes.TupleTarget):
        count = len(open_part.names)
        if shapes.decide_equal(shapes.remainder(rest, count), 0) is EqualityVerdict.DIFFERENT:
            message = rules.packs.no_equal_packs(counted(rest, "item"), count)
            context.report(rules.DECOMPOSITION_MISMATCH, open_part, message, notes)
            return False
    return True


def _define_part(
    context: Context, part: nodes.NameTarget | nodes.TupleTarget, value: Typed, at: Integer, taken: Integer
) -> None:
    """Type one part: it takes ``taken`` items from ``at`` on."""
    assert value.type is not None
    items: Items | None = None
    if value.items is not None and at.value is not None and taken.value is not None:
        items = value.items[at.value : at.value + taken.value]
    if isinstance(part, nodes.NameTarget):
        typed = Typed(value.type.of_length(taken), None, items)
        if part.expansion is None:
            typed = Typed(value.type.item(), items[0] if items else None)
        for name in part.names:
            _define(context, name, typed)
        return
    count = len(part.names)
    length = shapes.floor_divide(taken, count)
    for number, name in enumerate(part.names):
        every = None if items is None else items[number::count]
        _define(context, name, Typed(value.type.of_length(length), None, every))
