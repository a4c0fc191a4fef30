"""Symbols of a model for tract: declarations, and assertions about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import AtLeastZero, Integer, IsZero, Junction, Truth
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.nnef1_export.literals import written_extent

_UNBOUNDED = 1_000_000
"""The bound that converted models have for extents without one."""


def symbol_lines(symbols: Mapping[str, Integer], conditions: Iterable[Truth]) -> list[str]:
    """Return the extensions that declare symbols, and assert their bounds and the conditions on them."""
    lines = [f"tract_symbol {name}" for name in symbols]
    for name, symbol in symbols.items():
        low, high = integers.bounds(symbol)
        if low:
            lines.append(f"tract_assert {name} >= {low}")
        if high is not None and high < _UNBOUNDED:
            lines.append(f"tract_assert {name} <= {high}")
    asserted = [each for condition in conditions for each in _assertions(condition, frozenset(symbols))]
    return [*lines, *(f"tract_assert {each}" for each in dict.fromkeys(asserted))]


def _assertions(condition: Truth, symbols: frozenset[str]) -> Iterator[str]:
    """Yield the parts of a condition that tract can assert."""
    if not condition.leaves or not symbols.issuperset(leaf.name for leaf in condition.leaves):
        return
    match condition:
        case Junction(conjunction=True, operands=operands):
            for each in operands:
                yield from _assertions(each, symbols)
        case AtLeastZero() | IsZero(positive=True):
            is_bound = isinstance(condition, AtLeastZero)
            subject = condition.slack if isinstance(condition, AtLeastZero) else condition.parts[0]
            try:
                yield f"{written_extent(subject, Dialect.TRACT)} {'>=' if is_bound else '=='} 0"
            except Unsuitable:
                return
