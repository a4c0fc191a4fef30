"""Terminals that could follow at a point of a text, from the table: for messages and for completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

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


# ---- suggestions for a word that does not exist ----------------------------------------------------------------------
# More alike than a word with a missing letter.
_SWAPPED = 0.99


_SHORT = 6
_LEAST_ALIKE, _LEAST_ALIKE_LONG = 0.67, 0.75
"""A third of the letters may differ in a short word; in a long one that makes another word (``layer_norm``)."""


def close_matches(word: str, choices: Iterable[str], most: int = 3) -> list[str]:
    """Return the ``choices`` most like ``word``, best first; none if none is near enough to be worth saying."""
    from difflib import SequenceMatcher  # a text without mistakes does without it

    scored = []
    letters, length, lower = Counter(word), len(word), word.lower()
    farthest = max(2, length // 3)
    others = str.maketrans(dict.fromkeys(word.lower() + word.upper()))
    names = [choice for choice in choices if -farthest <= len(choice) - length <= farthest and choice != word]
    # A graph may have thousands of names: they are looked at together.
    different = map(len, "\n".join(names).translate(others).split("\n"))
    for choice, left in zip(names, different, strict=False):
        if 2 * (len(choice) - left) < 0.6 * (length + len(choice)):
            continue
        if choice.lower() == lower:
            scored.append((1.0, choice))
            continue
        if _is_swapped(word, choice):
            scored.append((_SWAPPED, choice))
            continue
        if 2 * _common_letters(letters, choice) < 0.6 * (length + len(choice)):
            continue
        ratio = SequenceMatcher(None, word, choice).ratio()
        if ratio >= (_LEAST_ALIKE if length <= _SHORT else _LEAST_ALIKE_LONG) or sorted(word) == sorted(choice):
            scored.append((ratio, choice))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [choice for _, choice in scored[:most]]


def _is_swapped(word: str, choice: str) -> bool:
    """Return whether two adjacent letters are swapped and nothing else differs: a single slip."""
    if len(word) != len(choice):
        return False
    at = next((index for index, (one, other) in enumerate(zip(word, choice, strict=True)) if one != other), len(word))
    return word[at : at + 2] == choice[at : at + 2][::-1] and word[at + 2 :] == choice[at + 2 :]


def _common_letters(letters: Mapping[str, int], word: str) -> int:
    """Return the number of letters of a word that are in ``letters``: a bound of the common letters."""
    common = 0
    left: dict[str, int] = {}
    for letter in word:
        count = left.get(letter)
        if count is None:
            count = letters.get(letter, 0)
        if count > 0:
            common += 1
        left[letter] = count - 1
    return common
