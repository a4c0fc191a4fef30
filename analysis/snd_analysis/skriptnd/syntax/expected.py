"""Terminals that could follow at a point of a text, from the table: for messages and for completion."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.skriptnd.syntax.table import END, ParseTable, run_states

_OPERAND = frozenset({"ID", "LPAR", "LSQB", "INT", "REAL", "STRING", "TRUE", "FALSE", "MINUS", "NOT"})
# Terminals that a message does not list where it says that an expression is expected.
_OPERAND_WORDS = _OPERAND | {
    "PLUS", "QUESTION", "INF", "PI", "TYPE", "BAR", "TILDE", "DOTS", "ELLIPSIS", "LBRACE", "IF", "WITH", "FOR", "WHILE",
    "DO", "UNROLL", "STATIC", "DYNAMIC",
}  # fmt: skip
_OPERATORS = frozenset({
    "PLUS", "MINUS", "STAR", "SLASH", "BACKSLASH", "PERCENT", "POWER", "XOR", "IMPLIES", "IS", "IN", "AND", "OR", "LT",
    "LE", "GT", "GE", "EQ", "NE", "MIN", "MAX", "MAKE", "QUESTION", "COALESCE", "LSQB", "LPAR", "LBRACE", "DOT",
    "LGENERIC", "REPLACE", "DOTS", "ELLIPSIS", "STRING",
})  # fmt: skip
_DEFINITIONS = frozenset({"OPERATOR", "GRAPH", "IMPORT"})
_ASSIGNMENTS = frozenset({"PLUS_ASSIGN", "STAR_ASSIGN", "AND_ASSIGN", "OR_ASSIGN", "MIN_ASSIGN", "MAX_ASSIGN"})
_PHRASES = {
    "ID": "a name", "INT": "an integer", "REAL": "a real number", "STRING": "a string", "TYPE": "a type",
    END: "the end of the text", "VERSION": "'version'", "EXTENSION": "'extension'", "LGENERIC": "'<'",
    "B_DTYPE": "'@dtype'", "B_PARAM": "'@input'", "B_USING": "'@using'", "B_ASSERT": "'@assert'", "B_LOWER": "'@lower'",
    "B_COMPOSE": "'@compose'", "B_QUANTIZE": "'@quantize'",
}  # fmt: skip


def terminals(table: ParseTable, states: Sequence[int]) -> frozenset[str]:
    """Return the terminals that the automaton could take next, after any reductions."""
    return frozenset(kind for kind in table.terminals if run_states(table, list(states), [kind]) == 1)


def phrase(table: ParseTable, states: Sequence[int]) -> str:
    """Return the terminals that could come next, in words: ``an expression``, ``',' or ')'``."""
    kinds = set(terminals(table, states))
    words: list[str] = []
    if kinds >= _OPERAND:
        words.append("an expression")
        kinds -= _OPERAND_WORDS
    elif kinds >= {"PLUS", "STAR", "AND"}:
        kinds -= _OPERATORS
        words.append("an operator")
    if kinds >= _DEFINITIONS:
        kinds -= _DEFINITIONS | {"PUBLIC", "VERSION", "EXTENSION"}
        words.append("'operator', 'graph' or 'import'")
    if kinds >= {"TYPE", "ID"}:
        kinds -= {"TYPE", "ID", "OPTIONAL", "DYNAMIC"}
        words.append("a type")
    if kinds >= _ASSIGNMENTS:
        kinds -= _ASSIGNMENTS | {"EQ", "LSQB", "ASSIGN", "MAKE"}
        words.append("an assignment such as '='")
    blocks = {kind for kind in kinds if kind.startswith("B_")}
    if len(blocks) > 2:
        kinds -= blocks
        words.append("a block ('@input', '@compose', …)")
    ends = [kind for kind in ("SEMI", "COMMA", "RPAR", "RSQB", "COLON", "ASSIGN") if kind in kinds]
    others = sorted(kinds - {*ends, END, "RBRACE"})
    last = ["RBRACE"] if "RBRACE" in kinds else []
    words = [*(_name(table, kind) for kind in ends), *words, *(_name(table, kind) for kind in [*others, *last])][:5]
    if not words:
        return "nothing more"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _name(table: ParseTable, kind: str) -> str:
    return _PHRASES.get(kind) or f"'{table.literals[kind]}'"
