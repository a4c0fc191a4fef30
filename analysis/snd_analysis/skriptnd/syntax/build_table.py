"""Build ``grammar_table.json`` from ``grammar.lark``: ``python -m snd_analysis.skriptnd.syntax.build_table``.

To be run after every edit of the grammar; also as ``make grammar``.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

_START_SYMBOLS = ("document", "_expr")
# Names follow the words that look like them; the listed symbols are no prefix of a longer one.
_FREQUENT = (
    "VERSION", "EXTENSION", "TYPE", "ID", "COMMA", "SEMI", "LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE",
)  # fmt: skip


def build(grammar: str) -> dict[str, Any]:
    """Return the table of a grammar as plain data, with the hash of the grammar. Raise the exceptions of lark."""
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
    # The order of lark's own lexer: higher priority first, then patterns before plain strings, then the longer string.
    # Frequent terminals that can't be confused with others go first of all.
    patterns.sort(key=lambda item: (-item.priority, isinstance(item.pattern, PatternStr), -len(item.pattern.value)))
    patterns.sort(key=lambda item: _FREQUENT.index(item.name) if item.name in _FREQUENT else len(_FREQUENT))
    in_entries = {state for row in gotos for origin, state in row.items() if origin.endswith("_entries")}
    return {
        "hash": hashlib.sha256(grammar.encode()).hexdigest(),
        "actions": actions,
        "gotos": gotos,
        "defaults": [_default_reduction(row) for row in actions],
        "productions": productions,
        "passing": [length == 1 and (origin == "chain" or origin[0] == "_") for origin, length, *_ in productions],
        "entry_states": [state in in_entries for state in range(len(actions))],
        "terminals": sorted({kind for row in actions for kind in row} - {"ERROR"}),
        "starts": {name: order[state] for name, state in parse_table.start_states.items()},
        "ends": {name: order[state] for name, state in parse_table.end_states.items()},
        "token_pattern": "|".join(f"(?P<{item.name}>{item.pattern.to_regexp()})" for item in patterns),
        "keywords": words,
        "literals": {item.name: item.pattern.value for item in terminals if isinstance(item.pattern, PatternStr)},
    }


def _default_reduction(row: dict[str, int]) -> int:
    """Return the reduction of a state that can only reduce one production, so that it needs no lookahead; else -1."""
    choices = set(row.values())
    if len(choices) != 1:
        return -1
    action = choices.pop()
    return action >> 1 if action & 1 else -1


if __name__ == "__main__":
    folder = Path(__file__).parent
    text = json.dumps(build((folder / "grammar.lark").read_text("utf-8")), separators=(",", ":"), sort_keys=True)
    (folder / "grammar_table.json").write_text(text + "\n", encoding="utf-8")
    sys.stderr.write(f"grammar_table.json: {len(text):,} characters\n")
