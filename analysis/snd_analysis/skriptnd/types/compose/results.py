"""The left sides of statements: names for the results of a right side, with or without types and lengths (2.10)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Rule, Span, counted
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.invocation.generics import typed_result
from snd_analysis.skriptnd.types.compose.typing_state import UNKNOWN, TypedValue, TypingState
from snd_analysis.skriptnd.types.expressions.dimensions import differing
from snd_analysis.skriptnd.types.expressions.functions import expect
from snd_analysis.skriptnd.types.signature import elsewhere
from snd_analysis.skriptnd.types.type import INT, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


# ---- comparison of values assigned to outputs and variables with their declarations (2.10, 2.11) ---------------------
def check_assigned(work: TypingState, symbol: Symbol, name: nodes.Name, value: TypedValue) -> None:
    """Report a value that does not fit the declaration of its output or variable: one problem at most."""
    context = work.context
    declared = context.typed(symbol).type
    actual = value.type
    if declared is None or actual is None:
        return
    role = f"the {symbol.kind} '{symbol.name}'"
    note = (context.declared(symbol),)
    if declared.packed != actual.packed:
        rule = rules.PACK_EXPECTED if declared.packed else rules.UNEXPECTED_PACK
        what = "a single tensor" if actual.packed is False else "a pack"
        message = f"{role} is declared as '{declared}', but this is {what}: '{value}'"
        context.report(rule, value.place or name, message, note)
    elif actual.optional:
        message = rules.expressions.may_be_null(role, value)
        context.report(rules.NULL_NOT_ALLOWED, value.place or name, message, note)
    elif declared.dtype != actual.dtype:
        rule = rules.OUTPUT_TYPE if symbol.kind is SymbolKind.OUTPUT else rules.UPDATE_TYPE
        _report(work, rule, symbol, name, f"declared as '{declared}', but it is {_made(symbol)} as '{value}'")
    elif declared.length is not None and actual.length is not None and (
        shapes.decide_equal(declared.length, actual.length) is EqualityVerdict.DIFFERENT
    ):  # fmt: skip
        message = (
            f"{role} has {counted(declared.length, 'tensor')}, but this has {actual.length}: its type is '{value}'"
        )
        context.report(rules.LENGTH_MISMATCH, value.place or name, message, note)
    elif work.shapes_certain:
        _check_shape(work, symbol, name, value)


def _check_shape(work: TypingState, symbol: Symbol, name: nodes.Name, value: TypedValue) -> None:
    declared = work.context.typed(symbol).type
    parameter = symbol.node
    if declared is None or declared.shape is None or value.rank is None or not isinstance(parameter, nodes.Parameter):
        return
    if parameter.shape is None or shapes.has_unknowns(value.rank):
        return  # composing knows the rank, and reports the shape with all extents
    if shapes.decide_equal(declared.shape.rank, value.rank) is EqualityVerdict.DIFFERENT:
        ranks = f", of rank {declared.shape.rank}", f", of rank {value.rank}"
    elif differing(work.extents_of_symbol(symbol), value.extents):
        ranks = "", ""
    else:
        return
    text = f"declared as '{declared}'{ranks[0]}, but it is {_made(symbol)} as '{value}'{ranks[1]}"
    rule = rules.OUTPUT_SHAPE if symbol.kind is SymbolKind.OUTPUT else rules.UPDATE_SHAPE
    _report(work, rule, symbol, name, text)


def _made(symbol: Symbol) -> str:
    return "composed" if symbol.kind is SymbolKind.OUTPUT else "updated"


def _report(work: TypingState, rule: Rule, symbol: Symbol, name: nodes.Name, text: str) -> None:
    """Report at the declaration of an output, which the composition must match, or at the update of a variable."""
    context = work.context
    message = f"the {symbol.kind} '{symbol.name}' is {text}"
    if symbol.kind is SymbolKind.VARIABLE:
        context.report(rule, name, message, (context.declared(symbol),))
        return
    made = Note(Span(name.start, name.end).shifted(context.base), f"'{symbol.name}' is assigned here")
    context.problems.append(Problem(rule, context.resolution.span(symbol), message, (made,)))


# ---- the left sides of statements ------------------------------------------------------------------------------------
_Item = nodes.Result | nodes.ResultTuple


def assign(work: TypingState, component: nodes.Component, values: Sequence[TypedValue] | None) -> None:
    """Give the results of a right side to the names on the left; None if even their number is not known."""
    results = component.results
    if values is not None and len(values) != len(results):
        _report_count(work, component, values)
        values = None
    for result, value in zip(results, values or [UNKNOWN] * len(results), strict=True):
        if isinstance(result, nodes.ResultList):
            _take_apart(work, result, value)
        else:
            _assign_one(work, result, value)


def _report_count(work: TypingState, component: nodes.Component, values: Sequence[TypedValue]) -> None:
    results = component.results
    names = counted(len(results), "name")
    message = f"there {'is' if len(values) == 1 else 'are'} {counted(len(values), 'result')} for {names}"
    if len(values) > len(results):
        message += "; write '~' for a result that is not needed"
    notes = [] if not values else _origin(work, values[0], "results")
    work.report_between(rules.RESULT_COUNT, results[0], results[-1], message, notes)


def _origin(work: TypingState, value: TypedValue, what: str) -> list[Note]:
    if value.invoked is not None:
        return [elsewhere(value.invoked, f"'{value.invoked.name}' declares its {what} here")]
    return [] if value.place is None else [work.context.note(value.place, "this is what is assigned")]


# ---- one name --------------------------------------------------------------------------------------------------------
def _assign_one(work: TypingState, result: _Item, value: TypedValue) -> None:
    length = _length(work, result.pack)
    if isinstance(result, nodes.ResultTuple):  # legal in lists only
        for name in result.names:
            _define(work, name, UNKNOWN)
        return
    if isinstance(result.target, nodes.Tilde):
        return
    value = _packed_as_written(work, result, value, length)
    value = typed_result(work, result.type, result, value)
    _define(work, result.target, value)


def _packed_as_written(
    work: TypingState, result: nodes.Result, value: TypedValue, length: Integer | None
) -> TypedValue:
    """Check ``..(n)`` after a name against the result that it is given."""
    type_ = value.type
    if type_ is None:
        return value
    if result.pack is None:
        if type_.packed and value.invoked is not None and not _is_declared_single(work, result):
            return _without_length(work, result, value)
        return value
    if not type_.packed:
        message = f"this is a single tensor of type '{value}': no '..' after its name"
        work.context.report(rules.UNEXPECTED_PACK, result, message, _origin_notes(work, value))
        return UNKNOWN
    assert type_.length is not None
    if length is None:
        if result.pack.length is None and value.invoked is not None:
            return _without_length(work, result, value)
        return value
    if shapes.decide_equal(length, type_.length) is EqualityVerdict.DIFFERENT:
        message = f"this result has {counted(type_.length, 'tensor')}, not {length}: its type is '{value}'"
        work.context.report(rules.LENGTH_MISMATCH, result.pack, message, _origin_notes(work, value))
    return replace(value, type=type_.of_length(length))


def _is_declared_single(work: TypingState, result: nodes.Result) -> bool:
    """Return whether a name is declared as a single tensor: that it is given a pack is the mistake then."""
    symbol = work.context.symbol(result.target)
    if symbol is None or symbol.kind not in (SymbolKind.OUTPUT, SymbolKind.VARIABLE):
        return False
    declared = work.context.typed(symbol).type
    return declared is not None and not declared.packed


def _without_length(work: TypingState, result: nodes.Result, value: TypedValue) -> TypedValue:
    """Report a result whose length is not written; any later length is accepted."""
    assert isinstance(result.target, nodes.Name)
    assert value.type is not None
    message = (
        f"the result is a pack of type '{value}': say how many tensors there are, as in "
        f"'{result.target.text}..(n)', or list their names in brackets"
    )
    work.context.report(rules.PACKED_RESULT_WITHOUT_LENGTH, result.target, message, _origin_notes(work, value))
    return replace(value, type=value.type.of_length(shapes.opaque("length")))


def _origin_notes(work: TypingState, value: TypedValue) -> tuple[Note, ...]:
    return tuple(_origin(work, value, "results"))


def _length(work: TypingState, pack: nodes.Pack | None) -> Integer | None:
    """Return the number of tensors in ``..(n)``; None if it is missing or can't be typed."""
    if pack is None or pack.length is None or isinstance(pack.length, nodes.Tilde):
        return None
    typed = expect(work.context, pack.length, INT, "the number of tensors", packed=False)
    if typed.type is None:
        return None
    return typed.value if typed.value is not None else shapes.opaque("length")


# ---- lists -----------------------------------------------------------------------------------------------------------
def _take_apart(work: TypingState, result: nodes.ResultList, value: TypedValue) -> None:
    """Unpack one packed result: ``[a, b..(n), (c, d)..] = …``."""
    lengths = [_length(work, item.pack) for item in result.items]
    flexible = [
        item
        for item, length in zip(result.items, lengths, strict=True)
        if item.pack is not None and (item.pack.length is None or isinstance(item.pack.length, nodes.Tilde))
    ]
    if len(flexible) > 1:
        message = "only one item of the list can take the remaining tensors: give the others a length"
        note = work.context.note(flexible[0], "this takes what remains")
        work.context.report(rules.TWO_FLEXIBLE_RESULTS, flexible[1], message, (note,))
        value = UNKNOWN
    elif value.type is not None and not value.type.packed:
        message = f"this is a list of names, but the result is a single tensor of type '{value}'"
        work.context.report(rules.PACK_EXPECTED, result, message, _origin_notes(work, value))
        value = UNKNOWN
    elif not flexible or value.type is not None:
        value = _fitting(work, result, value, lengths, flexible[0] if flexible else None)
    remaining = _remaining(value, result, lengths)
    for item, length in zip(result.items, lengths, strict=True):
        _assign_item(work, item, value, remaining if item in flexible else length)


def _fitting(
    work: TypingState,
    result: nodes.ResultList,
    value: TypedValue,
    lengths: list[Integer | None],
    open_part: _Item | None,
) -> TypedValue:
    """Return the value if its number of tensors fits the names of the list, and the rest fits the open part."""
    if value.type is None or value.type.length is None:
        return value
    total = _total(result, lengths)
    if total is None:
        return value
    there = value.type.length
    if open_part is not None:
        least, most = shapes.bounds(total)[0], shapes.bounds(there)[1]
        fits = least is None or most is None or least <= most
    else:
        fits = shapes.decide_equal(total, there) is not EqualityVerdict.DIFFERENT
    if fits:
        return value if open_part is None or _unzips(work, open_part, value, there - total) else UNKNOWN
    wanted = f"{'at least ' if open_part is not None else ''}{total}"
    message = f"this result has {counted(there, 'tensor')}, but the list of names takes {wanted}"
    work.context.report(rules.LENGTH_MISMATCH, result, message, _origin_notes(work, value))
    return UNKNOWN


def _unzips(work: TypingState, open_part: _Item, value: TypedValue, rest: Integer) -> bool:
    """Return whether the remaining items can go to the names of an open tuple in equal parts; report it if not."""
    if not isinstance(open_part, nodes.ResultTuple):
        return True
    count = len(open_part.names)
    if shapes.decide_equal(shapes.remainder(rest, count), 0) is not EqualityVerdict.DIFFERENT:
        return True
    message = rules.packs.no_equal_packs(counted(rest, "tensor"), count)
    work.context.report(rules.LENGTH_MISMATCH, open_part, message, _origin_notes(work, value))
    return False


def _total(result: nodes.ResultList, lengths: list[Integer | None]) -> Integer | None:
    """Return how many tensors the items with a known number take."""
    total = shapes.constant(0)
    for item, length in zip(result.items, lengths, strict=True):
        names = len(item.names) if isinstance(item, nodes.ResultTuple) else 1
        if item.pack is None:
            total = total + names
        elif length is not None:
            total = total + length * names
        elif item.pack.length is not None and not isinstance(item.pack.length, nodes.Tilde):
            return None
    return total


def _remaining(value: TypedValue, result: nodes.ResultList, lengths: list[Integer | None]) -> Integer | None:
    """Return the length of the one item that does not say it."""
    total = _total(result, lengths)
    if value.type is None or value.type.length is None or total is None:
        return None
    rest = value.type.length - total
    names = next((len(item.names) for item in result.items if isinstance(item, nodes.ResultTuple)), 1)
    return rest if names == 1 else shapes.floor_divide(rest, shapes.constant(names))


def _assign_item(work: TypingState, item: _Item, value: TypedValue, length: Integer | None) -> None:
    type_ = value.type
    if type_ is not None:
        packed = None if item.pack is None else (length if length is not None else shapes.opaque("length"))
        value = replace(value, type=type_.of_length(packed))
    if isinstance(item, nodes.ResultTuple):
        for name, written in zip(item.names, item.types, strict=True):
            _define(work, name, typed_result(work, written, item, value))
    elif isinstance(item.target, nodes.Name):
        _define(work, item.target, typed_result(work, item.type, item, value))
    else:
        typed_result(work, item.type, item, value)


# ---- definition of names ---------------------------------------------------------------------------------------------
def _define(work: TypingState, name: nodes.Name, value: TypedValue) -> None:
    symbol = work.context.symbol(name)
    if symbol is None:
        return
    if symbol.kind is SymbolKind.TENSOR:
        work.define(symbol, value)
    elif symbol.kind in (SymbolKind.OUTPUT, SymbolKind.VARIABLE):
        if symbol.kind is SymbolKind.VARIABLE and not work.updating:
            return  # reported: an assignment that can't be
        if symbol.kind is SymbolKind.VARIABLE:
            _check_updated_once(work, symbol, name)
        reported = len(work.context.problems)
        check_assigned(work, symbol, name, value)
        _complete(work, symbol, value)
        if len(work.context.problems) > reported:
            work.define(symbol, UNKNOWN)  # it is declared or composed wrongly: one mistake, however often it is used


def _check_updated_once(work: TypingState, symbol: Symbol, name: nodes.Name) -> None:
    earlier = work.updated.get(symbol)
    if earlier is None:
        work.updated[symbol] = work.located(name)
        return
    message = f"the variable '{symbol.name}' is updated a second time"
    work.context.report(rules.ASSIGNED_TWICE, name, message, (work.note(earlier, "first updated here"),))


def _complete(work: TypingState, symbol: Symbol, value: TypedValue) -> None:
    """Give an output without a declared shape the shape of its value (2.6.1)."""
    declared = work.context.symbols.get(symbol)
    node = symbol.node
    if symbol.kind is not SymbolKind.OUTPUT or declared is None or declared.type is None:
        return
    if isinstance(node, nodes.Parameter) and node.shape is None and value.type is not None:
        work.context.symbols[symbol] = Typed(replace(declared.type, shape=value.type.shape))
        work.extents[symbol] = value.extents
