"""Typing a statement, or using what was found before an edit where everything it depends on is the same."""

from __future__ import annotations

from dataclasses import dataclass

from snd_analysis.memo import Memo
from snd_analysis.names.part import Part
from snd_analysis.names.symbols import Symbol
from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.types.compose.composition import Composition
from snd_analysis.types.compose.statements import statement
from snd_analysis.types.context import Typed
from snd_analysis.types.dimensions import Extents


@dataclass(frozen=True, slots=True)
class StatementTypes:
    """What typing a statement, of which nothing is to be said, has added. Spans count from its start."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]
    labels: dict[str, Span]
    updated: dict[Symbol, Span]


def statement_types(work: Composition, component: nodes.Component, memo: Memo[StatementTypes]) -> None:
    """Types one statement of the definition, or adds what is known of it."""
    part = work.context.resolution.parts.get(component)
    if part is None or not part.lasting or _is_ambiguous(work, part):
        statement(work, component)
        return
    given = _given(work, part)
    known = memo.find(part, given)
    if known is None:
        _typed(work, component, part, given, memo)
    elif known.labels.keys().isdisjoint(work.labels) and known.updated.keys().isdisjoint(work.updated):
        _add(work, known)
    else:
        statement(work, component)


def _is_ambiguous(work: Composition, part: Part) -> bool:
    ambiguous = work.context.resolution.ambiguous
    return bool(ambiguous) and not (ambiguous.isdisjoint(part.symbols) and ambiguous.isdisjoint(part.given))


def _given(work: Composition, part: Part) -> object:
    """The types and extents of the symbols that the statement names, and the operators that it invokes."""
    context = work.context
    definition = context.facts.definition
    return (
        [(context.typed(symbol), work.extents_of_symbol(symbol)) for symbol in part.given],
        [definition(name) for name in part.operators],
    )


def _add(work: Composition, known: StatementTypes) -> None:
    work.context.symbols.update(known.symbols)
    work.extents.update(known.extents)
    base = work.context.base
    for label, span in known.labels.items():
        work.labels[label] = span.shifted(base)
    for symbol, span in known.updated.items():
        work.updated[symbol] = span.shifted(base)


def _typed(
    work: Composition, component: nodes.Component, part: Part, given: object, memo: Memo[StatementTypes]
) -> None:
    context = work.context
    named = (*part.symbols, *part.given)
    before = [(context.symbols.get(symbol), work.extents.get(symbol)) for symbol in named]
    labels, updated, said = len(work.labels), len(work.updated), context.amount_said()
    statement(work, component)
    if context.amount_said() != said:
        return
    symbols, extents = {}, {}
    for symbol, (type_before, extents_before) in zip(named, before, strict=True):
        type_ = context.symbols.get(symbol)
        if type_ is not None and type_ is not type_before:
            symbols[symbol] = type_
        if symbol in work.extents and (type_before is None or work.extents[symbol] is not extents_before):
            extents[symbol] = work.extents[symbol]
    distance = -context.base
    result = StatementTypes(
        symbols,
        extents,
        {label: span.shifted(distance) for label, span in [*work.labels.items()][labels:]},
        {symbol: span.shifted(distance) for symbol, span in [*work.updated.items()][updated:]},
    )
    memo.learn(part, given, result)
