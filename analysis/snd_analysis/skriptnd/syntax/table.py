"""The LALR(1) table and the token pattern of ``grammar.lark``, read from ``grammar_table.json``.

``make grammar`` builds that file after an edit of the grammar (``build_table.py``), so that lark is neither imported
nor run when a process starts. A test fails if the file is not that of the grammar.
"""

from __future__ import annotations

from collections.abc import Iterable
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


# ---- the stacks of the automaton, and runs of it over states alone ---------------------------------------------------
class Stacks(Struct):
    """The state of the automaton: values read and not yet reduced, and one state more than values."""

    states: list[int]
    values: list[Any]
    starts: list[int]

    def remember(self) -> Remembered:
        """Return the present state of the stacks. Lists on them may grow later, so their lengths are part of it."""
        lengths = [len(value) if isinstance(value, list) else -1 for value in self.values]
        return Remembered(Stacks(self.states.copy(), self.values.copy(), self.starts.copy()), lengths)

    def cut(self, depth: int) -> None:
        """Take off everything above the lowest ``depth`` values."""
        del self.states[depth + 1 :], self.values[depth:], self.starts[depth:]


class Remembered(Struct, frozen=True):
    """The stacks at an earlier point, to go back to."""

    stacks: Stacks
    lengths: list[int]

    def restore(self) -> Stacks:
        """Return the stacks as they were."""
        for value, length in zip(self.stacks.values, self.lengths, strict=True):
            if length >= 0:
                del value[length:]
        return self.stacks


def run_states(table: ParseTable, states: list[int], kinds: Iterable[str]) -> int:
    """Return how many of ``kinds`` the automaton could take in turn; ``states`` is left as the last of them left it."""
    taken = 0
    for kind in kinds:
        while True:
            state = states[-1]
            number = table.defaults[state]
            if number < 0:
                action = table.actions[state].get(kind)
                if action is None:
                    return taken + (kind == END and state in table.ends.values())
                if not action & 1:
                    states.append(action >> 1)
                    break
                number = action >> 1
            production = table.productions[number]
            if production.length:
                del states[-production.length :]
            states.append(table.gotos[states[-1]][production.origin])
        taken += 1
    return taken
