"""A symbol is declared and never used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import filterfalse

from snd_analysis.base import Note, OperatorName, Problem, Rule, Severity
from snd_analysis.skriptnd.lints.limits import MOST_NAMED
from snd_analysis.skriptnd.lints.names.dead_operation import DEAD_OPERATION, DeadOperation, dead_operations
from snd_analysis.skriptnd.lints.names.unused_variable import UNUSED_VARIABLE
from snd_analysis.skriptnd.names import Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

UNUSED_SYMBOL = Rule("unused-symbol", section="tool", severity=Severity.HINT)


# Extents, lengths, inputs and generic types describe the interface whether or not the body needs them; loop variables
# belong to the form of their loop.
_JUDGED = frozenset(
    {
        SymbolKind.ATTRIBUTE,
        SymbolKind.USING,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.TENSOR,
        SymbolKind.LOCAL,
    }
)


def check(resolution: Resolution, updates: Callable[[OperatorName], bool]) -> Iterator[Problem]:
    """Report each symbol that is declared and never read, unless its name begins with ``_``.

    Unused variables and operations without effect are rules of their own. ``updates`` tells whether an operator updates
    variables.
    """
    symbols = list(_unused(resolution))
    tensors = {resolution.span(symbol) for symbol in symbols if symbol.kind is SymbolKind.TENSOR}
    dead = dead_operations(resolution, tensors, updates)
    others = {span for each in dead.values() for span in each.others}
    for symbol in symbols:
        span, text = resolution.span(symbol), f"the {symbol.kind} '{symbol.name}' is never used"
        if span in dead:
            yield _dead_problem(resolution, symbol, dead[span])
        elif symbol.kind is SymbolKind.VARIABLE:
            yield Problem(UNUSED_VARIABLE, span, text)
        elif span not in others:
            hint = "; write '~' in its place" if symbol.kind is SymbolKind.TENSOR else ""
            yield Problem(UNUSED_SYMBOL, span, f"{text}{hint}")


def _dead_problem(resolution: Resolution, symbol: Symbol, dead: DeadOperation) -> Problem:
    """Return one problem for a chain of operations without effect: at its end, where a use is missing or all can go."""
    more = " and the other results are" if dead.others else " is"
    message = f"'{symbol.name}'{more} never used: this operation has no effect"
    names = [f"'{each.name}'" for each in dead.feeding]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    if names:
        listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        message += f"; {listed} {'are' if len(names) > 1 else 'is'} used for it only"
    notes = tuple(Note(resolution.span(each), f"'{each.name}' is used for it only") for each in dead.feeding)
    return Problem(DEAD_OPERATION, resolution.span(symbol), message, notes[:MOST_NAMED])


def _unused(resolution: Resolution) -> Iterator[Symbol]:
    blocks = {block.kind for block in resolution.definition.blocks if isinstance(block, nodes.Block)}
    has_body = bool(blocks & {BlockKind.LOWER, BlockKind.COMPOSE})
    read = resolution.symbols_read
    for symbol in filterfalse(read.__contains__, resolution.symbols):
        if symbol.kind not in _JUDGED or symbol.name.startswith("_"):
            continue
        if symbol.kind is SymbolKind.TENSOR and symbol.name in resolution.names_read:  # shadowed by another symbol
            continue
        if symbol.kind in (SymbolKind.ATTRIBUTE, SymbolKind.VARIABLE) and not has_body:
            continue
        yield symbol
