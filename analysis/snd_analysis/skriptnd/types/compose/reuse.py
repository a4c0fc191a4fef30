"""Typing statements, or using what was found before an edit where everything they depend on is the same."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.skriptnd.names import Memo, Part, Symbol
from snd_analysis.skriptnd.types.compose.composition import Located, TypingState
from snd_analysis.skriptnd.types.compose.statements import statement
from snd_analysis.skriptnd.types.dimension import Extents
from snd_analysis.skriptnd.types.typed import Typed


class StatementTypes(Struct, frozen=True):
    """What typing a statement, or a row of them, of which nothing is to be said, has added."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]
    labels: dict[str, Located]
    updated: dict[Symbol, Located]


def row_types(work: TypingState, row: Part, memo: Memo[StatementTypes]) -> None:
    """Types the statements of a row, or adds what is known of it."""
    parts = row.single
    if len(parts) == 1:
        statement_types(work, parts[0], memo)
        return
    lasts = row.lasting and not _is_ambiguous(work, row)
    given = _given(work, row) if lasts else None
    known = memo.find(row, given) if lasts else None
    if known is not None and _is_addable(work, known):
        _add(work, known)
        return
    found = [statement_types(work, part, memo) for part in parts]
    types = [each for each in found if each is not None]
    if lasts and len(types) == len(found):
        memo.learn(row, given, _together(types))


def statement_types(work: TypingState, part: Part, memo: Memo[StatementTypes]) -> StatementTypes | None:
    """Types one statement of the definition, or adds what is known of it; returns what may be used again."""
    work.begin(part.node)
    if not part.lasting or _is_ambiguous(work, part):
        statement(work, work.component)
        return None
    given = _given(work, part)
    known = memo.find(part, given)
    if known is None:
        return _typed(work, part, given, memo)
    if not _is_addable(work, known):
        statement(work, work.component)
        return None
    _add(work, known)
    return known


def _is_ambiguous(work: TypingState, part: Part) -> bool:
    ambiguous = work.context.resolution.ambiguous
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def _given(work: TypingState, part: Part) -> object:
    """The types and extents of the symbols that the statement names, and the signatures that it invokes."""
    context = work.context
    signature = context.others.signature
    return (
        [(context.typed(symbol), work.extents_of_symbol(symbol)) for symbol in part.given],
        [signature(name) for name in part.operators],
    )


def _is_addable(work: TypingState, known: StatementTypes) -> bool:
    return known.labels.keys().isdisjoint(work.labels) and known.updated.keys().isdisjoint(work.updated)


def _add(work: TypingState, known: StatementTypes) -> None:
    work.context.symbols.update(known.symbols)
    work.extents.update(known.extents)
    work.labels.update(known.labels)
    work.updated.update(known.updated)


def _together(types: Sequence[StatementTypes]) -> StatementTypes:
    together = StatementTypes({}, {}, {}, {})
    for each in types:
        together.symbols.update(each.symbols)
        together.extents.update(each.extents)
        together.labels.update(each.labels)
        together.updated.update(each.updated)
    return together


def _typed(work: TypingState, part: Part, given: object, memo: Memo[StatementTypes]) -> StatementTypes | None:
    context = work.context
    named = (*part.symbols, *part.given)
    before = [(context.symbols.get(symbol), work.extents.get(symbol)) for symbol in named]
    labels, updated, said = len(work.labels), len(work.updated), context.amount_said()
    statement(work, work.component)
    if context.amount_said() != said:
        return None
    symbols, extents = {}, {}
    for symbol, (type_before, extents_before) in zip(named, before, strict=True):
        type_ = context.symbols.get(symbol)
        if type_ is not None and type_ is not type_before:
            symbols[symbol] = type_
        if symbol in work.extents and (type_before is None or work.extents[symbol] is not extents_before):
            extents[symbol] = work.extents[symbol]
    result = StatementTypes(
        symbols, extents, dict([*work.labels.items()][labels:]), dict([*work.updated.items()][updated:])
    )
    memo.learn(part, given, result)
    return result
