"""Parsing of a block after an edit: only the entries around the edit are parsed, others are reused.

The automaton is started at an entry a little before the edit, with the stacks it has there, and runs until it is about
to begin an entry that also began there before the edit. From there on it would do the same as before, because its
actions depend on its stacks and on the tokens to come, and both are the same. If that point is not reached soon, or
anything else is unusual, the result is None and the whole chunk is parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Problem, Repair, Span, edit_between
from snd_analysis.skriptnd.limits import LONGEST_LOOKAHEAD
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.automaton import Automaton, with_damaged_entries
from snd_analysis.skriptnd.syntax.builder import Blocks, Entries
from snd_analysis.skriptnd.syntax.recovery.fault import BLOCK_KINDS
from snd_analysis.skriptnd.syntax.recovery.recover import NEAR, Recovery
from snd_analysis.skriptnd.syntax.table import Stacks, run_states, table
from snd_analysis.skriptnd.syntax.tokens import Token, Tokens, tokenize

_UP_TO_BRACE = re.compile(r"(?:\s|#[^\r\n]*)*\{")
# Entries after the edit, and characters after the block, that are read before giving up: few at first, for a statement
# mostly ends where it did.
_REACHES = ((3, 400), (60, 4_000))

Reparsed = tuple[nodes.Document, tuple[Span, ...], tuple[Problem, ...]]


class _Change(Struct, frozen=True):
    """``old[start:old_end]`` became ``new[start:new_end]``."""

    start: int
    old_end: int
    new_end: int

    @property
    def distance(self) -> int:
        return self.new_end - self.old_end

    def moved(self, offset: int) -> int:
        return offset if offset <= self.start else max(offset + self.distance, self.start)


def reparse(
    old_text: str, document: nodes.Document, comments: tuple[Span, ...], problems: tuple[Problem, ...], text: str
) -> Reparsed | None:
    """Return tree, comments and problems of ``text``, reusing parts of ``old_text``; None if that does not pay."""
    edit = edit_between(old_text, text)
    change = _Change(edit.span.start, edit.span.end, edit.span.start + len(edit.text))
    found = _block_around(document, change)
    if found is None or _may_close_string(problems, change):
        return None
    definition, block = found
    old = _Old(old_text, definition, block, problems)
    first = _first_entry(old, change)
    if first is None:
        return None
    for entries, characters in _REACHES:
        middle = _read(old, text, first, change, entries, characters)
        if middle is not None:
            return _spliced(document, old, first, middle, change, comments)
    return None


def _may_close_string(problems: tuple[Problem, ...], change: _Change) -> bool:
    """Return whether a quote in the edit may close a string that begins anywhere above the edit."""
    return any(problem.rule == rules.UNCLOSED_STRING and problem.span.start < change.start for problem in problems)


class _Old(Struct, frozen=True):
    """The block before the edit, with its surroundings."""

    text: str
    definition: nodes.Definition
    block: nodes.Block
    problems: tuple[Problem, ...]

    def is_clean(self, first: int, last: int) -> bool:
        """Return whether no problem stands from entry ``first`` to entry ``last``, or to the ends of the chunk.

        After the last entry stands the closing brace: a problem of that entry may have been reported there.
        """
        entries = self.block.entries
        start = 0 if first < 0 else entries[first].start if first < len(entries) else self.block.end - 1
        end = entries[last].end if last < len(entries) else len(self.text)
        at = bisect_left(self.problems, start, key=lambda problem: problem.span.start)
        if at < len(self.problems) and self.problems[at].span.start <= end:
            return False
        window = entries[max(first, 0) : last + 1]
        return not any(isinstance(entry.statement, nodes.ErrorEntry) for entry in window)

    @property
    def closing_brace(self) -> int | None:
        """Return the offset of the closing brace of the block; None if recovery supplied it."""
        at = self.block.end - 1
        return at if at >= self.block.entries[-1].end and self.text[at] == "}" else None


def _first_entry(old: _Old, change: _Change) -> int | None:
    """Return the entry to begin with: one before the edited line, and before errors that could look ahead to it."""
    entries = old.block.entries
    line_start = max(old.text.rfind("\n", 0, change.start), old.text.rfind("\r", 0, change.start)) + 1
    first = max(bisect_left(entries, line_start, key=lambda entry: entry.end) - 1, 0)
    while not old.is_clean(first - LONGEST_LOOKAHEAD, first):
        if first < LONGEST_LOOKAHEAD:
            return None
        first -= LONGEST_LOOKAHEAD
    return first if entries[first].start < change.start else None


def _block_around(document: nodes.Document, change: _Change) -> tuple[nodes.Definition, nodes.Block] | None:
    definitions = [item for item in document.items if isinstance(item, nodes.Definition)]
    if len(definitions) != 1 or len(document.items) != 1:
        return None
    for block in definitions[0].blocks:
        if isinstance(block, nodes.Block) and block.entries:
            first, last = block.entries[0], block.entries[-1]
            if first.start < change.start and change.old_end < max(last.start, block.end):
                return definitions[0], block
    return None


class _Middle(Struct, frozen=True):
    entries: tuple[nodes.Entry, ...]
    comments: tuple[Span, ...]
    problems: list[Problem]
    restart: int
    resync: int
    """Offset in the new text from which on everything is as it was."""
    old_index: int


def _read(old: _Old, text: str, first: int, change: _Change, reach: int, behind: int) -> _Middle | None:
    """Read from entry ``first`` until an entry, or the end of the block, stands where it stood before."""
    entries = old.block.entries
    beyond = bisect_left(entries, change.old_end + 1, key=lambda entry: entry.start)
    near_end = beyond + reach >= len(entries)
    last = old.block.end + behind if near_end else entries[beyond + reach].end
    stop = min(last + change.distance, len(text))
    starts = {entries[at].start + change.distance: at for at in range(beyond, min(beyond + reach + 1, len(entries)))}
    brace = old.closing_brace
    if near_end and brace is not None and brace >= change.old_end:
        starts[brace + change.distance] = len(entries)
    starts = {start: at for start, at in starts.items() if old.is_clean(at, at + NEAR)}
    if not starts:
        return None

    restart = entries[first].start
    tokens = tokenize(text, restart, stop=stop, depth=2)
    automaton = Automaton(text, tokens.tokens, "document", stacks=_stacks_at(old), end=len(text))
    automaton.builder.base = automaton.last_end = restart
    depth, block_entries = len(automaton.stacks.states), automaton.stacks.values[-1]
    recovery = Recovery(automaton)
    # A lookahead beyond the tokens would see a false end of the text.
    horizon = len(tokens.tokens) - (0 if stop == len(text) else LONGEST_LOOKAHEAD + NEAR)
    until = min(starts)
    while True:
        if not automaton.advance(until):
            if automaton.at >= horizon:
                return None
            recovery.recover()
            continue
        if len(automaton.stacks.states) != depth or automaton.stacks.values[-1] is not block_entries:
            return None  # the block has ended, and another one begins
        if automaton.at >= len(tokens.tokens):
            return None
        resync = automaton.token().start
        if resync in starts:
            break
        until = resync + 1
    read = Tokens(
        tokens.tokens,
        tuple(span for span in tokens.comments if span.end <= resync),
        tuple(problem for problem in tokens.problems if problem.span.end <= resync),
    )
    problems = automaton.problems(read)
    read_entries = with_damaged_entries(block_entries, problems, text)
    return _Middle(read_entries, read.comments, problems, restart, resync, starts[resync])


def _stacks_at(old: _Old) -> Stacks:
    """Return the stacks at a point where an entry of the block may begin."""
    text, definition, block = old.text, old.definition, old.block
    kind = BLOCK_KINDS[block.kind]
    states = [table().starts["document"]]
    run_states(table(), states, ["OPERATOR", "ID", "LBRACE", kind, "LBRACE"])
    state = states[-1]
    production = table().productions[table().defaults[state]]
    states.append(table().gotos[state][production.origin])
    name = Token("ID", definition.name.start, definition.name.end)
    keyword = Token(kind, block.keyword.start, block.keyword.end)
    values = [
        Token("OPERATOR", definition.start, definition.start), name, _brace(text, name.end), Blocks(),
        keyword, _brace(text, keyword.end), Entries(),
    ]  # fmt: skip
    return Stacks(states, values, [item.start if isinstance(item, Token) else keyword.start for item in values])


def _brace(text: str, start: int) -> Token:
    found = _UP_TO_BRACE.match(text, start)
    end = found.end() if found else start + 1
    return Token("LBRACE", end - 1, end)


def _spliced(
    document: nodes.Document, old: _Old, first: int, middle: _Middle, change: _Change, comments: tuple[Span, ...]
) -> Reparsed:
    definition, block, problems = old.definition, old.block, old.problems
    distance = change.distance
    entries = block.entries.spliced(first, middle.old_index, middle.entries, distance)
    old_resync = middle.resync - distance
    blocks = tuple(
        nodes.Block(block.start, block.end + distance, block.kind, block.keyword, entries) if item is block
        else _moved_block(item, distance) if item.start > block.start else item
        for item in definition.blocks
    )  # fmt: skip
    end = definition.end + distance
    changed = nodes.Definition(definition.start, end, definition.kind, definition.public, definition.name, blocks)
    behind = comments[bisect_left(comments, old_resync, key=lambda span: span.start) :]
    all_comments = (
        *comments[: bisect_right(comments, middle.restart, key=lambda span: span.end)],
        *middle.comments,
        *(span.shifted(distance) for span in behind),
    )
    all_problems = (
        *(_moved_problem(item, change) for item in problems if item.span.start < middle.restart),
        *middle.problems,
        *(_moved_problem(item, change) for item in problems if item.span.start >= old_resync),
    )
    tree = nodes.Document(document.start, document.end + distance, (changed,))
    return tree, all_comments, tuple(sorted(all_problems, key=lambda problem: problem.span))


def _moved_block(block: nodes.Block | nodes.ErrorBlock, distance: int) -> nodes.Block | nodes.ErrorBlock:
    if isinstance(block, nodes.ErrorBlock):
        return nodes.ErrorBlock(block.start + distance, block.end + distance, block.names)
    keyword, entries = block.keyword.shifted(distance), block.entries.moved(distance)
    return nodes.Block(block.start + distance, block.end + distance, block.kind, keyword, entries)


def _moved_problem(problem: Problem, change: _Change) -> Problem:
    if change.distance == 0:
        return problem

    def moved(span: Span) -> Span:
        return Span(change.moved(span.start), change.moved(span.end))

    repair = problem.repair and Repair(
        problem.repair.title,
        tuple(Edit(moved(edit.span), edit.text) for edit in problem.repair.edits),
        problem.repair.safe,
    )
    notes = tuple(Note(moved(note.span), note.message) for note in problem.notes)
    return Problem(problem.rule, moved(problem.span), problem.message, notes, repair)
