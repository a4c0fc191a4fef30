"""Typing the statements of ``@compose`` and ``@update``, as a pass over them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from snd_analysis.base import checkpoint
from snd_analysis.skriptnd.names import StatementPart, Symbol, is_ambiguous
from snd_analysis.skriptnd.types.compose.statements import statement
from snd_analysis.skriptnd.types.compose.typing_state import Located, TypingState
from snd_analysis.skriptnd.types.type import Extents, Typed

_Key = TypeVar("_Key")


class StatementTypes(Struct, frozen=True):
    """The additions from typing a statement or a row of statements without problems."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]
    labels: dict[str, Located]
    updated: dict[Symbol, Located]
    changed: Set[Symbol]


class TypingOfStatements:
    """The typing of statements that reuses earlier results."""

    def __init__(self, work: TypingState) -> None:
        self._work = work

    def may_last(self, part: StatementPart) -> bool:
        """Return whether no name is ambiguous."""
        return part.lasting and not self._work.context.resolution.ambiguous

    def given(self, part: StatementPart) -> object | None:
        """Return the types and extents of the symbols that are named, and the signatures that are invoked."""
        work, context = self._work, self._work.context
        if not part.lasting or is_ambiguous(context.resolution, part):
            return None
        return (
            [(context.typed(symbol), work.extents_of_symbol(symbol)) for symbol in part.given],
            [context.invoked_signature(name) for name in part.operators],
        )

    def add(self, known: StatementTypes) -> bool:
        """Add types that are known, unless a label is there already, or a variable updated."""
        work = self._work
        if not (known.labels.keys().isdisjoint(work.labels) and known.updated.keys().isdisjoint(work.updated)):
            return False
        work.context.symbols.add(known.symbols)
        work.extents.add(known.extents)
        work.labels.update(known.labels)
        work.updated.update(known.updated)
        return True

    def run(self, part: StatementPart) -> None:
        """Type a statement."""
        work = self._work
        checkpoint()
        work.begin(part.node)
        statement(work, work.component)

    def work_out(self, part: StatementPart, versions: tuple[StatementTypes, ...]) -> tuple[StatementTypes, bool]:
        """Type a statement, and return its additions."""
        work, context = self._work, self._work.context
        named = (*part.symbols, *part.given)
        before = [(context.symbols.get(symbol), work.extents.get(symbol)) for symbol in named]
        labels, updated, said, unsure = len(work.labels), len(work.updated), context.amount_said(), context.unsure
        self.run(part)
        symbols, extents = {}, {}
        for symbol, (type_before, extents_before) in zip(named, before, strict=True):
            type_ = context.symbols.get(symbol)
            if type_ is not None and type_ is not type_before:
                symbols[symbol] = type_
            if symbol in work.extents and (type_before is None or work.extents[symbol] is not extents_before):
                extents[symbol] = work.extents[symbol]
        found = StatementTypes(
            symbols, extents, _added(work.labels, labels), _added(work.updated, updated),
            {*symbols, *(context.unsure - unsure)},
        )  # fmt: skip
        return found, context.amount_said() == said

    def together(self, found: Sequence[StatementTypes]) -> StatementTypes:
        """Return the types of a row."""
        together = StatementTypes({}, {}, {}, {}, set())
        for each in found:
            together.symbols.update(each.symbols)
            together.extents.update(each.extents)
            together.labels.update(each.labels)
            together.updated.update(each.updated)
        return together


def _added(located: dict[_Key, Located], before: int) -> dict[_Key, Located]:
    """Return the entries added to a table after its first ``before`` entries, without iterating over the latter."""
    return dict(reversed([*islice(reversed(located.items()), len(located) - before)]))
