"""The LALR(1) table and the token pattern of ``grammar.lark``, read from ``grammar_table.json``.

``make grammar`` builds that file after an edit of the grammar (``build_table.py``), so that lark is neither imported
nor run when a process starts. A test fails if the file is not that of the grammar.
"""

from __future__ import annotations

from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field

END = "$END"


class Production(NamedTuple):
    """One alternative of a rule: its symbol, its length, and the builder of its node."""

    origin: str
    length: int
    builder: str
    nested: bool
    """True if its symbols may be lists, whose items count as symbols of the production."""


class ParseTable(Struct, frozen=True):
    """``actions[state][terminal]`` is ``2 * state`` for a shift and ``2 * production + 1`` for a reduction."""

    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]
    defaults: tuple[int, ...]
    """The production that a state reduces before any token, or -1: such states can do nothing else."""
    productions: tuple[Production, ...]
    passing: tuple[bool, ...]
    """True if a production passes on its only symbol unchanged."""
    starts: dict[str, int]
    ends: dict[str, int]
    entry_states: tuple[bool, ...]
    """True if an entry of a block begins in a state: spans inside an entry count from there."""
    token_pattern: str
    keywords: dict[str, str]
    literals: dict[str, str]
    """Spelling of each terminal with only one, for messages."""
    terminals: frozenset[str]
    """All terminals of the grammar."""
    passed: dict[Any, int] = field(default_factory=dict)
    """Cached answers of ``pass_on``, by its arguments."""

    def pass_on(self, below: int, number: int, kind: str) -> int:
        """Return the state above ``below`` after reducing a production before a terminal of the kind ``kind``.

        Productions that then pass on the result are reduced, too.
        """
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
def table() -> ParseTable:
    """Return the table of the grammar in this package."""
    content = get_data(__package__, "grammar_table.json")  # importlib.resources takes as long to load as the table
    assert content is not None
    return msgspec.json.decode(content, type=ParseTable)
