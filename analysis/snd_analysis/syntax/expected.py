"""What could stand at a point of a text, from the table: for messages and for completion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from snd_analysis.syntax.table import END, Table

_OPERAND = frozenset({"ID", "LPAR", "LSQB", "INT", "REAL", "STRING", "TRUE", "FALSE", "MINUS", "NOT"})
_OPERAND_WORDS = _OPERAND | {"PLUS", "QUESTION", "INF", "PI", "TYPE", "BAR", "NOT"}
_OPERATORS = frozenset({
    "PLUS", "MINUS", "STAR", "SLASH", "BACKSLASH", "PERCENT", "POWER", "XOR", "IMPLIES", "IS", "IN", "AND", "OR", "LT",
    "LE", "GT", "GE", "EQ", "NE", "MIN", "MAX", "MAKE", "QUESTION", "COALESCE",
})  # fmt: skip
_CONTINUATIONS = frozenset({"LSQB", "LPAR", "LBRACE", "DOT", "LGENERIC", "REPLACE", "DOTS", "ELLIPSIS", "STRING"})
_ASSIGNMENTS = frozenset({"PLUS_ASSIGN", "STAR_ASSIGN", "AND_ASSIGN", "OR_ASSIGN", "MIN_ASSIGN", "MAX_ASSIGN"})
_PHRASES = {
    "ID": "a name", "INT": "an integer", "REAL": "a real number", "STRING": "a string", "TYPE": "a type",
    END: "the end of the text", "VERSION": "'version'", "EXTENSION": "'extension'",
}  # fmt: skip


def terminals(table: Table, states: Sequence[int]) -> frozenset[str]:
    """Terminals that the automaton could take next, reductions done."""
    from snd_analysis.syntax.recovery import run_states

    return frozenset(kind for kind in _all_terminals(table) if run_states(table, list(states), [kind]) == 1)


@cache
def _terminals_of(key: int) -> frozenset[str]:
    from snd_analysis.syntax.table import table

    return frozenset(kind for row in table().actions for kind in row if kind != "ERROR")


def _all_terminals(table: Table) -> frozenset[str]:
    return _terminals_of(len(table.actions))


def phrase(table: Table, states: Sequence[int]) -> str:
    """What could stand next, in words: ``an expression``, ``',' or ')'``."""
    kinds = set(terminals(table, states))
    words: list[str] = []
    if kinds >= _OPERAND:
        words.append("an expression")
        kinds -= _OPERAND_WORDS | {"LBRACE", "IF", "WITH", "FOR", "WHILE", "DO", "UNROLL"}
    elif kinds >= {"PLUS", "STAR", "AND"}:
        kinds -= _OPERATORS | _CONTINUATIONS
        words.append("an operator")
    if kinds >= _ASSIGNMENTS:
        kinds -= _ASSIGNMENTS | {"EQ", "LSQB"}
        words.append("an assignment operator")
    blocks = {kind for kind in kinds if kind.startswith("B_")}
    if len(blocks) > 2:
        kinds -= blocks
        words.append("a block ('@input', '@compose', …)")
    closers = [kind for kind in ("SEMI", "RPAR", "RSQB", "RBRACE", "COMMA", "COLON", "ASSIGN") if kind in kinds]
    others = sorted(kinds - set(closers) - {END})
    words = [*[_name(table, kind) for kind in closers], *words, *[_name(table, kind) for kind in others]]
    if len(words) > 5:
        words = words[:5]
    if not words:
        return "the end of the text"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _name(table: Table, kind: str) -> str:
    return _PHRASES.get(kind) or f"'{table.literals.get(kind, kind)}'"
