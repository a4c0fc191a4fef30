"""The automaton of the LALR(1) table: it takes tokens, builds nodes, and stops at a token it can't take."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from snd_analysis import rules
from snd_analysis.base import Problem, Span, checkpoint
from snd_analysis.skriptnd.limits import DEEPEST_NESTING, MOST_TOKENS_OF_ENTRY
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.builder import Entries, TreeBuilder, methods
from snd_analysis.skriptnd.syntax.expression_builder import ExpressionBuilder
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.syntax.table import END, ParseTable, Remembered, Stacks, table
from snd_analysis.skriptnd.syntax.tokens import Token, Tokens, tokenize

# ---- damaged entries of a tree: entries whose intended meaning is unknown --------------------------------------------
_SIGNATURE = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.OUTPUT)
_WORD = re.compile(r"[A-Za-z_]\w*")


def signature_is_damaged(definition: nodes.Definition) -> bool:
    """Return whether it is a guess which types, attributes, inputs and outputs a definition declares."""
    return any(
        isinstance(block, nodes.ErrorBlock)
        or (block.kind in _SIGNATURE and any(entry.damage is not None for entry in block.entries))
        for block in definition.blocks
    )


def with_damage(document: nodes.Document, problems: Iterable[Problem], text: str) -> nodes.Document:
    """Return a document in which every entry that contains one of ``problems`` is marked as damaged."""
    places = _places(problems)
    if not places:
        return document
    items = (_marked(item, places, text) if isinstance(item, nodes.Definition) else item for item in document.items)
    return nodes.Document(document.start, document.end, tuple(items))


def with_damaged_entries(
    entries: Iterable[nodes.Entry], problems: Iterable[Problem], text: str
) -> tuple[nodes.Entry, ...]:
    """Return the entries; those that contain one of ``problems`` are marked as damaged."""
    places = _places(problems)
    return tuple(_marked_entry(entry, places, text) for entry in entries)


def with_damage_of(entry: nodes.Entry, problems: Iterable[Problem], text: str) -> nodes.Entry:
    """Return the entry, marked as damaged if one of ``problems`` leaves its meaning open."""
    return _damaged(entry, text) if _places(problems) else entry


def _places(problems: Iterable[Problem]) -> list[Span]:
    """Return the sorted places of problems that leave the meaning open; a safe repair settles the meaning."""
    return sorted(item.span for item in problems if item.repair is None or not item.repair.safe)


def _marked(definition: nodes.Definition, places: Sequence[Span], text: str) -> nodes.Definition:
    blocks = tuple(
        nodes.Block(
            block.start, block.end, block.kind, block.keyword,
            nodes.Entries.of(_marked_entry(entry, places, text) for entry in block.entries),
        )
        if isinstance(block, nodes.Block) else block
        for block in definition.blocks
    )  # fmt: skip
    return nodes.Definition(
        definition.start, definition.end, definition.kind, definition.public, definition.name, blocks
    )


def _marked_entry(entry: nodes.Entry, places: Sequence[Span], text: str) -> nodes.Entry:
    if not isinstance(entry.statement, nodes.ErrorEntry) and not _has_place(entry, places):
        return entry
    return _damaged(entry, text)


def _damaged(entry: nodes.Entry, text: str) -> nodes.Entry:
    words = sorted(set(_WORD.findall(text, entry.start, entry.end)))
    return nodes.Entry(entry.start, entry.end, entry.statement, tuple(words))


def _has_place(entry: nodes.Entry, places: Sequence[Span]) -> bool:
    at = bisect_left(places, Span(entry.start, entry.start))
    while at < len(places) and places[at].start <= entry.end:
        if _stands_in(places[at], entry):
            return True
        at += 1
    return False


def _stands_in(place: Span, entry: nodes.Entry) -> bool:
    """Return whether a place belongs to an entry. Missing text between two entries belongs to the first."""
    if place.start == place.end:
        return entry.start < place.start <= entry.end
    return entry.start <= place.start < entry.end


# ---- the automaton of the LALR(1) table ------------------------------------------------------------------------------
_TOKENS_AT_ONCE = 2_000
"""Tokens that are taken between two checkpoints: a few milliseconds of work."""


class EntryStart(NamedTuple):
    """The start of the current entry."""

    at: int
    """Index of its first token."""
    depth: int
    """Number of values on the stacks at the start."""
    problems: int
    """Number of problems that the builder had reported at the start."""


class Automaton:
    """One pass over a list of tokens.

    With ``stacks``, the pass begins in the middle, and ``at`` is the next token.
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
        self.table: ParseTable = table()
        self.text = text
        self.tokens = tokens
        self.builder = builder or TreeBuilder(text, read_expression)
        self.stacks = stacks or Stacks([self.table.starts[start]], [], [])
        self.at = 0
        self.last_end = tokens[0].start if tokens else 0
        self.before_brace: tuple[Remembered, Token, int] | None = None
        """The stacks before the last token, if that was a closing brace: it may turn out to be one too many."""
        self.entry: EntryStart | None = None
        self.skipped: list[Span] = []
        """Skipped parts of the text, each from the token that the automaton could not take."""
        self._accept = self.table.ends[start]
        self._methods = methods()
        self._end_token = Token(END, len(text) if end is None else end, len(text) if end is None else end)

    def token(self, offset: int = 0) -> Token:
        """Return the token ``offset`` places ahead; after the last stands the end of the text."""
        at = self.at + offset
        return self.tokens[at] if at < len(self.tokens) else self._end_token

    def index_of(self, start: int) -> int | None:
        """Index of the token that begins at an offset."""
        at = bisect_left(self.tokens, start, key=lambda token: token.start)
        return at if at < len(self.tokens) and self.tokens[at].start == start else None

    def problems(self, tokens: Tokens) -> list[Problem]:
        """Return all problems of the tokens and of this pass, in order of places.

        Each skipped part and each token gets at most one problem.
        """
        of_garbage = {rules.ILLEGAL_CHARACTER, rules.UNCLOSED_STRING}
        skipped = iter(sorted(self.skipped))
        current = next(skipped, None)
        numbers = {problem.span for problem in tokens.problems if problem.rule == rules.MALFORMED_NUMBER}
        kept = [
            problem
            for problem in self.builder.problems
            if problem.rule != rules.SYNTAX_ERROR or problem.span not in numbers
        ]
        for problem in tokens.problems:
            start = problem.span.start
            while current is not None and current.end <= start:
                current = next(skipped, None)
            if problem.rule not in of_garbage or current is None or start <= current.start:
                kept.append(problem)
        return sorted(kept, key=lambda problem: problem.span)

    @property
    def too_deep(self) -> bool:
        """Return whether the error is that constructs nest too deeply."""
        return len(self.stacks.states) > DEEPEST_NESTING

    def supply(self, kind: str, start: int, end: int, spelling: str | None = None) -> None:
        """Take a token that does not stand in the text, or not like that; one that can be taken."""
        spelling = self.table.literals.get(kind) if spelling is None else spelling
        taken = self.advance(instead=Token(kind, start, end, spelling))
        assert taken
        self.before_brace = None

    def rewind(self, at: int) -> None:
        """Go back to where the token ``at`` of the entry that is being read was the next."""
        assert self.entry is not None
        first, depth, problems = self.entry
        self.stacks.cut(depth)
        del self.builder.problems[problems:]
        self.at = first
        self.last_end = self.tokens[first - 1].end if first else self.tokens[0].start
        if at > first:
            self.advance(limit=at)

    def advance(self, until: int | None = None, limit: int | None = None, instead: Token | None = None) -> bool:
        """Run until the text is accepted (True) or an error occurs (False), or until a stopping point (True).

        Stopping points: an entry could begin at the offset ``until`` or later; the token ``limit`` is the next; the
        token ``instead`` is taken.
        """
        # One function, although a long one: it runs for each token and each rule of the grammar, where a call, and the
        # attribute lookups that it would repeat, cost as much as the work itself.
        table, builder, tokens, build = self.table, self.builder, self.tokens, self._methods
        actions, gotos, defaults, productions = table.actions, table.gotos, table.defaults, table.productions
        passing, entry_states, passed = table.passing, table.entry_states, table.passed
        states, values, starts = self.stacks.states, self.stacks.values, self.stacks.starts
        token = instead or self.token()
        kind, start, end, _ = token
        at, count, last_end = self.at, len(tokens), self.last_end
        pause = at + _TOKENS_AT_ONCE if limit is None else min(at + _TOKENS_AT_ONCE, limit)
        value: Any
        while True:
            state = states[-1]
            number = defaults[state]
            if number < 0:
                action = actions[state].get(kind)
                if until is not None and entry_states[state] and start >= until:
                    return True
                if action is None:
                    return kind == END and state == self._accept
                if not action & 1:
                    if len(states) > DEEPEST_NESTING and kind != "ERROR":
                        return False
                    if entry_states[state]:
                        builder.base = 0 if kind == "RBRACE" else start
                        self.entry = EntryStart(at, len(values), len(builder.problems))
                    self.before_brace = (self.stacks.remember(), token, builder.base) if kind == "RBRACE" else None
                    states.append(action >> 1)
                    values.append(token)
                    starts.append(start)
                    if end > last_end:
                        self.last_end = last_end = end
                    if instead is not None:
                        return True
                    self.at = at = at + 1
                    if at == pause:
                        if at == limit:
                            return True
                        checkpoint()
                        pause = at + _TOKENS_AT_ONCE if limit is None else min(at + _TOKENS_AT_ONCE, limit)
                    token = tokens[at] if at < count else self._end_token
                    kind, start, end, _ = token
                    continue
                number = action >> 1
            origin, length, name, nested = productions[number]
            first = starts[-length] if length else last_end
            if passing[number] and type(values[-1]) is not list:
                value = values[-1]
            elif origin[0] == "_":
                value = _spliced(values[-length:])
            elif name == "entries_add":
                value = values[-length]
                value.append(self._entry(starts[1 - length], values[1 - length]))
            elif name == "entries_start":
                value = Entries()
            else:
                base = builder.base
                builder.start, builder.end = first - base, last_end - base
                symbols: list[Any] = values[-length:] if length else []
                value = build[number](builder, _flat(symbols) if nested else symbols)  # type: ignore[misc]
            if length:
                del states[-length:], values[-length:], starts[-length:]
            if type(value) is list:
                states.append(gotos[states[-1]][origin])
            else:
                # A single symbol is passed on as far as that goes at once: it depends on little, and is remembered.
                key = (states[-1], number, kind)
                state = passed.get(key, -1)
                if state < 0:
                    state = passed[key] = table.pass_on(*key)
                states.append(state)
            values.append(value)
            starts.append(first)

    def _entry(self, start: int, statement: nodes.Statement) -> nodes.Entry:
        entry = nodes.Entry(start, self.last_end, statement)
        if self.entry is not None and len(self.builder.problems) > self.entry.problems:
            entry = with_damage_of(entry, self.builder.problems[self.entry.problems :], self.text)
        if self.last_end - start <= DEEPEST_NESTING:
            return entry  # it has too few characters to nest too deeply
        too_deep = nodes.first_below(statement, DEEPEST_NESTING)
        if too_deep is not None:
            message = f"this stands more than {DEEPEST_NESTING} expressions deep: split them up"
            problem = Problem(rules.NESTING_TOO_DEEP, too_deep.span.shifted(start), message)
        elif self.entry is not None and self.at - self.entry.at > MOST_TOKENS_OF_ENTRY:
            message = (
                f"this is too large: a declaration or statement of {self.at - self.entry.at:,} tokens, more than the "
                f"{MOST_TOKENS_OF_ENTRY:,} that snd can handle, is not checked"
            )
            _, at, end, _ = self.tokens[self.entry.at]
            problem = Problem(rules.VALUE_TOO_LARGE, Span(at, end), message)
        else:
            return entry
        self.builder.problems.append(problem)
        return nodes.Entry(start, self.last_end, nodes.ErrorEntry(0, self.last_end - start, ""))


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


def read_expression(builder: ExpressionBuilder, start: int, end: int) -> nodes.Expression:
    """Return the expression that ``text[start:end]`` spells, whole; used for the fields of strings."""
    assert isinstance(builder, TreeBuilder)
    tokens = tokenize(builder.text, start, end)
    builder.problems += tokens.problems
    automaton = Automaton(builder.text, tokens.tokens, "_expr", builder, end=end)
    if automaton.advance():
        value = automaton.stacks.values[-1]
        return value[0] if isinstance(value, list) else value  # type: ignore[no-any-return]
    token = automaton.token()
    found = f"found '{builder.text[token.start : token.end]}'" if token.end > token.start else "it ends too early"
    place = Span(token.start, token.end) if token.end > token.start else Span(start, end)
    problem = rules.NESTING_TOO_DEEP if automaton.too_deep else rules.MALFORMED_FORMAT
    builder.problems.append(Problem(problem, place, f"'{{' and '}}' must enclose one expression: {found}"))
    return nodes.ErrorExpression(start - builder.base, end - builder.base)
