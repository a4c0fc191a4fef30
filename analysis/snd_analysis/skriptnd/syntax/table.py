"""The LALR(1) table and the token pattern, made from ``grammar.lark``.

lark builds the table once; the result is kept beside the grammar as plain data, so that lark is neither imported nor
run when a process starts. The data names the hash of the grammar it was made from: after an edit of the grammar the
table is rebuilt in memory, and ``python -m snd_analysis.skriptnd.syntax.table`` writes it again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

_START_SYMBOLS = ("document", "_expr")
END = "$END"
# In front of names stand the words that look like them; the symbols are those that begin no longer one.
_FREQUENT = (
    "VERSION", "EXTENSION", "TYPE", "ID", "COMMA", "SEMI", "LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE",
)  # fmt: skip


class Production(NamedTuple):
    """One alternative of a rule: what it makes, how many symbols it takes, which builder makes the node."""

    origin: str
    length: int
    builder: str
    nested: bool
    """Whether its symbols may be lists, whose items count as symbols of the production."""


class Table(Struct, frozen=True):
    """``actions[state][terminal]`` is ``2 * state`` for a shift and ``2 * production + 1`` for a reduction."""

    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]
    defaults: tuple[int, ...]
    """The production that a state reduces whatever follows, or -1: states that can do nothing else."""
    productions: tuple[Production, ...]
    passing: tuple[bool, ...]
    """Whether a production passes its only symbol on as it is."""
    starts: dict[str, int]
    ends: dict[str, int]
    entry_states: tuple[bool, ...]
    """Whether an entry of a block begins in a state: spans inside an entry count from there."""
    token_pattern: str
    keywords: dict[str, str]
    literals: dict[str, str]
    """How a terminal with one spelling is written, for messages."""
    terminals: frozenset[str]
    """All terminals of the grammar."""
    passed: dict[tuple[int, int, str], int]
    """What ``pass_on`` has answered."""

    def pass_on(self, below: int, number: int, kind: str) -> int:
        """The state above ``below`` once a production, and those that then pass on what it made, are reduced before a
        terminal of this kind."""
        while True:
            state = self.gotos[below][self.productions[number].origin]
            number = self.defaults[state]
            if number < 0:
                action = self.actions[state].get(kind, 0)
                if not action & 1:
                    return state
                number = action >> 1
            if not self.passing[number]:
                return state


@cache
def table() -> Table:
    """The table of the grammar in this package."""
    grammar = _resource("grammar.lark")
    data = json.loads(_resource("grammar_table.json") or "{}")
    if data.get("hash") != _hash(grammar):
        data = _build(grammar)
    return _load(data)


def _resource(name: str) -> str:
    path = files(__package__).joinpath(name)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _hash(grammar: str) -> str:
    return hashlib.sha256(grammar.encode()).hexdigest()


def _load(data: dict[str, Any]) -> Table:
    gotos = tuple(data["gotos"])
    actions = tuple(data["actions"])
    entry_states = {state for row in gotos for origin, state in row.items() if origin.endswith("_entries")}
    return Table(
        actions=actions,
        gotos=gotos,
        defaults=tuple(_default_reduction(row) for row in actions),
        productions=tuple(Production(*row) for row in data["productions"]),
        passing=tuple(
            length == 1 and (origin == "chain" or origin[0] == "_") for origin, length, *_ in data["productions"]
        ),
        starts=data["starts"],
        ends=data["ends"],
        entry_states=tuple(state in entry_states for state in range(len(actions))),
        token_pattern=data["token_pattern"],
        keywords=data["keywords"],
        literals=data["literals"],
        terminals=frozenset(kind for row in actions for kind in row) - {"ERROR"},
        passed={},
    )


def _default_reduction(row: dict[str, int]) -> int:
    """A state that can only reduce one production does so before the next token is judged."""
    choices = set(row.values())
    if len(choices) != 1:
        return -1
    action = choices.pop()
    return action >> 1 if action & 1 else -1


def _build(grammar: str) -> dict[str, Any]:
    from lark import Lark
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(grammar, parser="lalr", lexer="basic", start=list(_START_SYMBOLS), keep_all_tokens=True)
    parse_table = lark.parser.parser._parse_table
    productions: list[tuple[str, int, str, bool]] = []
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}
    actions: list[dict[str, int]] = [{} for _ in parse_table.states]
    gotos: list[dict[str, int]] = [{} for _ in parse_table.states]
    order = {state: number for number, state in enumerate(sorted(parse_table.states))}
    for state, row in parse_table.states.items():
        for symbol, (action, argument) in row.items():
            if action is not Shift:
                key = (argument.origin.name, tuple(item.name for item in argument.expansion))
                if key not in numbers:
                    numbers[key] = len(productions)
                    nested = any(name[0] == "_" for name in key[1])
                    productions.append((key[0], len(key[1]), argument.alias or key[0], nested))
                actions[order[state]][symbol] = 2 * numbers[key] + 1
            elif symbol.islower():
                gotos[order[state]][symbol] = order[argument]
            else:
                actions[order[state]][symbol] = 2 * order[argument]

    terminals = [terminal for terminal in lark.terminals if terminal.name != "ERROR"]
    words, patterns = {}, []
    for terminal in terminals:
        if isinstance(terminal.pattern, PatternStr) and terminal.pattern.value.isidentifier():
            words[terminal.pattern.value] = terminal.name
        else:
            patterns.append(terminal)
    # As lark's own lexer: higher priority first, then patterns before plain strings, then the longer string. What is
    # frequent and can't be taken for anything else goes first of all.
    patterns.sort(key=lambda item: (-item.priority, isinstance(item.pattern, PatternStr), -len(item.pattern.value)))
    patterns.sort(key=lambda item: _FREQUENT.index(item.name) if item.name in _FREQUENT else len(_FREQUENT))
    return {
        "hash": _hash(grammar),
        "actions": actions,
        "gotos": gotos,
        "productions": productions,
        "starts": {name: order[state] for name, state in parse_table.start_states.items()},
        "ends": {name: order[state] for name, state in parse_table.end_states.items()},
        "token_pattern": "|".join(f"(?P<{item.name}>{item.pattern.to_regexp()})" for item in patterns),
        "keywords": words,
        "literals": {item.name: item.pattern.value for item in terminals if isinstance(item.pattern, PatternStr)},
    }


if __name__ == "__main__":
    target = Path(__file__).with_name("grammar_table.json")
    text = json.dumps(_build(_resource("grammar.lark")), separators=(",", ":"), sort_keys=True)
    target.write_text(text + "\n", encoding="utf-8")
    sys.stderr.write(f"{target.name}: {len(text):,} characters\n")
