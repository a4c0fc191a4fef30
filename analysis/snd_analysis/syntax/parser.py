"""The driver over the LALR(1) table. It never fails: any text gives a tree and the problems found (invariant 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.builder import Entries, TreeBuilder
from snd_analysis.syntax.problem import Problem
from snd_analysis.syntax.recovery import Recovery, Remembered, Stacks
from snd_analysis.syntax.table import END, Table, table
from snd_analysis.syntax.tokens import Token, Tokens, tokenize

# Nodes nest by at most this many symbols that wait for their end; those who walk trees may recurse.
_DEEPEST = 600


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree, the tokens it was made from, and what was wrong. Spans count from the start of the text."""

    document: nodes.Document
    tokens: Tokens
    problems: tuple[Problem, ...]


def parse(text: str) -> Parsed:
    """Parses a whole text (2.16)."""
    tokens = tokenize(text)
    run = Run(text, tokens.tokens, "document")
    document = run.finish()
    problems = (*tokens.problems, *run.builder.problems)
    return Parsed(document, tokens, tuple(sorted(problems, key=lambda problem: problem.span)))


class Run:
    """One pass of the automaton over a list of tokens.

    ``stacks`` may be given to begin in the middle, with what stood on the stacks there; ``at`` is the next token then.
    """

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        start: str,
        builder: TreeBuilder | None = None,
        stacks: Stacks | None = None,
        end: int | None = None,
    ) -> None:
        self.table: Table = table()
        self.text = text
        self.tokens = tokens
        self.builder = builder or TreeBuilder(text, read_expression)
        self.stacks = stacks or Stacks([self.table.starts[start]], [], [])
        self.at = 0
        self.last_end = tokens[0].start if tokens else 0
        self.before_brace: tuple[Remembered, Token, int] | None = None
        """The stacks before the last token, if that was a closing brace: it may turn out to be one too many."""
        self._accept = self.table.ends[start]
        self._end_token = Token(END, len(text) if end is None else end, len(text) if end is None else end)
        self._methods = self.builder.methods
        self._recovery = Recovery(self)

    def token(self, offset: int = 0) -> Token:
        """The token ``offset`` places ahead; behind the last stands the end of the text."""
        at = self.at + offset
        return self.tokens[at] if at < len(self.tokens) else self._end_token

    def finish(self) -> nodes.Document:
        """Runs to the end, recovering from every error."""
        while not self.advance():
            self._recovery.recover()
        document = self.stacks.values[-1]
        assert isinstance(document, nodes.Document)
        return document

    def advance(self, until: int | None = None) -> bool:
        """Runs until the text is accepted, or an entry could begin at ``until`` or later (True), or an error (False)."""
        actions, defaults = self.table.actions, self.table.defaults
        entry_states = self.table.entry_states
        states = self.stacks.states
        while True:
            state = states[-1]
            default = defaults[state]
            if default >= 0:
                self._reduce(default)
                continue
            token = self.token()
            if until is not None and state in entry_states and token.start >= until:
                return True
            action = actions[state].get(token.kind)
            if action is None:
                return token.kind == END and state == self._accept
            if action & 1:
                self._reduce(action >> 1)
            elif len(states) > _DEEPEST:
                return False
            else:
                self.shift(token, action >> 1)
                self.at += 1
                states = self.stacks.states

    @property
    def too_deep(self) -> bool:
        """Whether the error is that constructs nest too deeply."""
        return len(self.stacks.states) > _DEEPEST

    def shift(self, token: Token, state: int) -> None:
        """Takes a token onto the stacks."""
        if self.stacks.states[-1] in self.table.entry_states:
            self.builder.base = 0 if token.kind == "RBRACE" else token.start
        self.before_brace = None
        if token.kind == "RBRACE":
            self.before_brace = (self.stacks.remember(), token, self.builder.base)
        self.stacks.push(state, token, token.start)
        self.last_end = max(self.last_end, token.end)

    def shift_default(self, kind: str, start: int, end: int, spelling: str | None = None) -> None:
        """Takes a token that does not stand in the text, after the reductions that it calls for."""
        if spelling is None:
            spelling = self.table.literals.get(kind)
        while True:
            state = self.stacks.states[-1]
            default = self.table.defaults[state]
            action = 2 * default + 1 if default >= 0 else self.table.actions[state][kind]
            if action & 1:
                self._reduce(action >> 1)
                continue
            self.shift(Token(kind, start, end, spelling), action >> 1)
            return

    def _reduce(self, number: int) -> None:
        stacks = self.stacks
        if number in self.table.transparent and isinstance(stacks.values[-1], nodes.Node):
            stacks.states[-1] = self.table.gotos[stacks.states[-2]][self.table.productions[number].origin]
            return
        production = self.table.productions[number]
        builder, length = self.builder, production.length
        start = stacks.starts[-length] if length else self.last_end
        symbols: list[Any] = stacks.values[-length:] if length else []
        origin = production.origin
        value: Any
        if origin[0] == "_":
            value = _spliced(symbols)
        elif production.builder == "entries_add":
            value = symbols[0]
            value.append(nodes.Entry(stacks.starts[1 - length], self.last_end, symbols[1]))
        elif production.builder == "entries_start":
            value = Entries()
        else:
            builder.start, builder.end = start - builder.base, self.last_end - builder.base
            value = self._methods[number](_flat(symbols))  # type: ignore[misc]
        if length:
            stacks.pop(length)
        stacks.push(self.table.gotos[stacks.states[-1]][origin], value, start)


def _spliced(symbols: list[Any]) -> list[Any]:
    if symbols and type(symbols[0]) is list:
        first: list[Any] = symbols[0]
        for symbol in symbols[1:]:
            if type(symbol) is list:
                first.extend(symbol)
            else:
                first.append(symbol)
        return first
    return _flat(symbols)


def _flat(symbols: list[Any]) -> list[Any]:
    flat: list[Any] = []
    for symbol in symbols:
        if type(symbol) is list:
            flat.extend(symbol)
        else:
            flat.append(symbol)
    return flat


def read_expression(builder: TreeBuilder, start: int, end: int) -> nodes.Expression:
    """The expression that ``text[start:end]`` spells, whole; used for the fields of strings."""
    tokens = tokenize(builder.text, start, end)
    builder.problems += tokens.problems
    run = Run(builder.text, tokens.tokens, "_expr", builder, end=end)
    if run.advance():
        value = run.stacks.values[-1]
        return value[0] if isinstance(value, list) else value  # type: ignore[no-any-return]
    token = run.token()
    found = f"found '{builder.text[token.start : token.end]}'" if token.end > token.start else "it ends too early"
    place = Span(token.start, token.end) if token.end > token.start else Span(start, end)
    problem = "nesting-too-deep" if run.too_deep else "malformed-format"
    builder.problems.append(Problem(problem, place, f"between '{{' and '}}' stands one whole expression: {found}"))
    return nodes.ErrorExpression(start - builder.base, end - builder.base)
