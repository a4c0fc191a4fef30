"""The state of the parser's automaton at a cursor: the open constructs, and the terminals that may follow.

The stack knows more than a tree could: it contains unfinished text exactly as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

from msgspec import Struct

from snd_analysis.ide.limits import MOST_CLOSING
from snd_analysis.skriptnd.syntax import Automaton, Recovery, Token, nodes, run_states, table, terminals, tokenize

_OPENERS = frozenset({"LPAR", "LSQB", "LBRACE", "LGENERIC"})
_CLOSERS = frozenset({"RPAR", "RSQB", "RBRACE"})
# Tokens that finish open constructs, in order of preference; names replace missing parts.
_CLOSING = (
    "SEMI", "RPAR", "RSQB", "RBRACE", "ELSE", "THEN", "DO", "ASSIGN", "COLON", "ARROW", "ID", "INT", "BAR", "LPAR",
    "LBRACE", "LSQB", "TYPE", "GT", "LT",
)  # fmt: skip


class OpenBracket(StrEnum):
    """Owner of a bracket that is still open."""

    DOCUMENT = "document"
    DEFINITION = "definition"
    BLOCK = "block"
    REGION = "region"
    ATTRIBUTES = "attributes"
    ARGUMENTS = "arguments"
    GENERICS = "generics"
    CAST = "cast"
    SHAPE = "shape"
    LENGTH = "length"
    INDEX = "index"
    LIST = "list"
    PARENTHESES = "parentheses"


class Stack(Struct, frozen=True, dict=True):
    """The stack of the automaton, from the bottom: grammar symbols, their values, and states."""

    symbols: tuple[str, ...]
    values: tuple[Any, ...]
    states: tuple[int, ...]
    is_certain: bool = True
    """True if the text is right so far."""

    @cached_property
    def terminals(self) -> frozenset[str]:
        """The kinds of tokens that can stand next."""
        return terminals(table(), self.states)

    @cached_property
    def roles(self) -> frozenset[str]:
        """Return the possible roles of a name that comes next.

        ``name`` declares something, or names an attribute; ``type_name`` and ``qualified`` refer to something.
        """
        states = list(self.states)
        if run_states(table(), states, ["ID"]) == 0:
            return frozenset()
        productions = table().productions
        return frozenset(productions[act >> 1].origin for act in table().actions[states[-1]].values() if act & 1)

    @property
    def top(self) -> str:
        """The last symbol; empty at the start of a document."""
        return self.symbols[-1] if self.symbols else ""

    @cached_property
    def openers(self) -> tuple[int, ...]:
        """Return the indices of the brackets that are still open, the innermost last."""
        opened: list[int] = []
        for at, symbol in enumerate(self.symbols):
            if symbol in _OPENERS:
                opened.append(at)
            elif symbol in _CLOSERS and opened:
                opened.pop()
        return tuple(opened)

    @cached_property
    def frame(self) -> OpenBracket:
        """Return the owner of the innermost open bracket."""
        return self.frame_of(self.openers[-1]) if self.openers else OpenBracket.DOCUMENT

    def frame_of(self, opener: int) -> OpenBracket:
        """Return the owner of an open bracket."""
        before = self.symbols[opener - 1] if opener else ""
        match self.symbols[opener]:
            case "LGENERIC":
                return OpenBracket.GENERICS
            case "LBRACE":
                if before.startswith("B_"):
                    return OpenBracket.BLOCK
                if before == "ID":
                    return OpenBracket.DEFINITION
                return OpenBracket.ATTRIBUTES if before in ("qualified", "generics") else OpenBracket.REGION
            case "LPAR":
                if before in ("qualified", "generics", "attributes"):
                    return OpenBracket.ARGUMENTS
                if before == "TYPE":
                    return OpenBracket.CAST
                return OpenBracket.LENGTH if before == "DOTS" else OpenBracket.PARENTHESES
        if before in ("type_name", "rank_capture"):
            return OpenBracket.SHAPE
        return (
            OpenBracket.INDEX
            if before in ("_postfix", "name") or before.startswith("__access_plus")
            else OpenBracket.LIST
        )

    def call(self, opener: int) -> nodes.Qualified | None:
        """Return the invoked name for a bracket that begins attributes, types or arguments."""
        at = opener - 1
        while at >= 0 and self.symbols[at] in ("attributes", "generics"):
            at -= 1
        value = self.values[at] if at >= 0 else None
        return value if isinstance(value, nodes.Qualified) else None

    def above(self, opener: int) -> Iterator[Any]:
        """Yield the nodes and tokens above a bracket, lists taken apart."""
        for value in self.values[opener + 1 :]:
            if isinstance(value, list):
                yield from value
            else:
                yield value

    def commas(self, opener: int) -> int:
        """Return how many items stand before the last comma above a bracket."""
        return sum(isinstance(value, Token) and value.kind == "COMMA" for value in self.above(opener))

    @cached_property
    def statement(self) -> int:
        """Return the index of the start of the entry of a block or the statement of a region."""
        for at in reversed(range(len(self.symbols))):
            if self.symbols[at].endswith("_entries") or self.symbols[at].startswith("__region_star"):
                return at + 1
            if self.symbols[at] == "LBRACE" and self.frame_of(at) in (OpenBracket.BLOCK, OpenBracket.REGION):
                return at + 1
        return 0

    def is_callable(self, end: int | None = None) -> bool:
        """Return whether an invocation can stand next."""
        symbols = self.symbols[:end]
        if not symbols:
            return False
        match symbols[-1]:
            case "ASSIGN":
                return len(symbols) > 1 and symbols[-2] == "_results"
            case "IF" | "ELIF" | "THEN" | "ELSE" | "WHILE" | "DO":
                return True
            case "UNROLL":
                return symbols[-2] in ("ASSIGN", "carries", "scans", "while_")
            case "RPAR":
                return "DOTS" in symbols[-6:-1] and {"DO", "UNROLL"} & {*symbols[-7:-2]} != set()
            case "COLON":
                return len(symbols) > 2 and symbols[-2] == "name" and self.is_callable(len(symbols) - 2)
        return False

    def closing(self) -> list[str]:
        """Return kinds of tokens that finish the statement, once a name stands at the cursor."""
        states = list(self.states)
        run_states(table(), states, ["ID"])
        entries = next((at for at, symbol in enumerate(self.symbols) if symbol.endswith("_entries")), len(self.symbols))
        found: list[str] = []
        while len(found) < MOST_CLOSING:
            kind = next((kind for kind in _CLOSING if run_states(table(), list(states), [kind])), None)
            if kind is None:
                break
            run_states(table(), states, [kind])
            found.append(kind)
            # One state more than symbols; the ';' itself is not reduced yet.
            if kind == "SEMI" and len(states) <= entries + 4:
                break
        return found


@cache
def _accessing() -> dict[int, str]:
    """Return the symbol that leads into each state."""
    found = {act >> 1: kind for row in table().actions for kind, act in row.items() if not act & 1}
    found.update({state: origin for row in table().gotos for origin, state in row.items()})
    return found


def stack_of(text: str) -> Stack:
    """Return the stack after a text, which may be the beginning of a document of any length. Never fails."""
    tokens = tokenize(text).tokens
    automaton = Automaton(text, tokens, "document")
    recovery = Recovery(automaton)
    while automaton.at < len(tokens) and not automaton.advance(limit=len(tokens)):
        recovery.recover()
    states = tuple(automaton.stacks.states)
    names = _accessing()
    return Stack(
        tuple(names[state] for state in states[1:]),
        tuple(automaton.stacks.values),
        states,
        not automaton.builder.problems,
    )
