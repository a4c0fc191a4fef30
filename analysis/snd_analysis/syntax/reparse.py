"""Reading a long block again after an edit: only the entries around the edit, the others are used as they are.

The automaton is started at an entry a little before the edit, with the stacks it has there, and runs until it is about
to begin an entry that also began there before the edit. From there on it would do what it did before, because what it
does depends on its stacks and on the tokens to come, and both are the same. Where that point is not reached soon, or
anything else is unusual, the answer is None and the whole chunk is parsed.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from snd_analysis.source import Edit, Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.builder import Blocks, Entries
from snd_analysis.syntax.parser import Run
from snd_analysis.syntax.problem import Note, Problem, Repair
from snd_analysis.syntax.recovery import NEAR, Recovery
from snd_analysis.syntax.fault import BLOCK_KINDS
from snd_analysis.syntax.stacks import Stacks, run_states
from snd_analysis.syntax.table import table
from snd_analysis.syntax.tokens import Token, Tokens, tokenize

# Recovery looks six tokens ahead, and an entry has at least one: entries so far from the edit can't have seen it.
_MARGIN = 8
_SHORTEST = 64

Reparsed = tuple[nodes.Document, tuple[Span, ...], tuple[Problem, ...]]


@dataclass(frozen=True, slots=True)
class _Change:
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
    """Tree, comments and problems of ``text``, using those of ``old_text``; None if that does not pay."""
    change = _difference(old_text, text)
    found = _block_around(document, change)
    if found is None:
        return None
    definition, block = found
    entries = block.entries
    line_start = max(old_text.rfind("\n", 0, change.start), old_text.rfind("\r", 0, change.start)) + 1
    first = max(bisect_left(entries, line_start, key=lambda entry: entry.end) - _MARGIN, 0)
    while first and _problem_between(problems, entries[max(first - NEAR, 0)].start, entries[first].end):
        first = max(first - NEAR, 0)
    restart = entries[first].start
    if restart >= change.start:
        return None
    beyond = bisect_left(entries, change.old_end + 1, key=lambda entry: entry.start)
    limit = min(beyond + 3 * _MARGIN, len(entries) - 1)
    if beyond + _MARGIN > limit:
        return None
    stop = entries[limit].end + change.distance
    middle = _read(old_text, text, definition, block, restart, entries[beyond].start + change.distance, stop, change)
    if middle is None:
        return None
    return _spliced(document, definition, block, first, middle, change, comments, problems)


def _problem_between(problems: tuple[Problem, ...], start: int, end: int) -> bool:
    at = bisect_left(problems, start, key=lambda problem: problem.span.start)
    return at < len(problems) and problems[at].span.start <= end


def _difference(old: str, new: str) -> _Change:
    start = _common_prefix(old, new)
    behind = min(_common_prefix(old[start:][::-1], new[start:][::-1]), min(len(old), len(new)) - start)
    return _Change(start, len(old) - behind, len(new) - behind)


def _common_prefix(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _block_around(document: nodes.Document, change: _Change) -> tuple[nodes.Definition, nodes.Block] | None:
    definitions = [item for item in document.items if isinstance(item, nodes.Definition)]
    if len(definitions) != 1 or len(document.items) != 1:
        return None
    for block in definitions[0].blocks:
        if isinstance(block, nodes.Block) and len(block.entries) >= _SHORTEST:
            first, last = block.entries[0], block.entries[-1]
            if first.start < change.start and change.old_end < last.start:
                return definitions[0], block
    return None


@dataclass(frozen=True, slots=True)
class _Middle:
    entries: list[nodes.Entry]
    comments: tuple[Span, ...]
    problems: list[Problem]
    restart: int
    resync: int
    """Offset in the new text from which on everything is as it was."""
    old_index: int


def _read(
    old_text: str, text: str, definition: nodes.Definition, block: nodes.Block, restart: int, until: int, stop: int,
    change: _Change,
) -> _Middle | None:  # fmt: skip
    tokens = tokenize(text, restart, stop=stop, depth=2)
    if not tokens.tokens or tokens.tokens[-1].end > stop:
        return None
    run = Run(text, tokens.tokens, "document", stacks=_stacks_at(old_text, definition, block), end=stop)
    run.builder.base = restart
    depth = len(run.stacks.states)
    recovery = Recovery(run)
    starts = {entry.start + change.distance: at for at, entry in enumerate(block.entries)}
    last_usable = len(tokens.tokens) - _MARGIN
    while True:
        if not run.advance(until):
            if run.at >= last_usable:
                return None
            recovery.recover()
            continue
        if len(run.stacks.states) != depth or run.at >= last_usable:
            return None
        resync = run.token().start
        if resync in starts:
            break
        until = resync + 1
        if not run.advance(until) and run.at >= last_usable:
            return None
    entries = list(run.stacks.values[-1])
    read = Tokens(
        tokens.tokens,
        tuple(span for span in tokens.comments if span.end <= resync),
        tuple(problem for problem in tokens.problems if problem.span.end <= resync),
    )
    return _Middle(entries, read.comments, run.problems(read), restart, resync, starts[resync])


def _stacks_at(text: str, definition: nodes.Definition, block: nodes.Block) -> Stacks:
    """What stands on the stacks where an entry of the block may begin."""
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
    braces = (token for token in tokenize(text, start, stop=start + 1000).tokens if token.kind == "LBRACE")
    return next(braces, Token("LBRACE", start, start))


def _spliced(
    document: nodes.Document, definition: nodes.Definition, block: nodes.Block, first: int, middle: _Middle,
    change: _Change, comments: tuple[Span, ...], problems: tuple[Problem, ...],
) -> Reparsed:  # fmt: skip
    distance = change.distance
    behind = block.entries[middle.old_index :]
    if distance:
        behind = tuple(nodes.Entry(entry.start + distance, entry.end + distance, entry.statement) for entry in behind)
    entries = (*block.entries[:first], *middle.entries, *behind)
    old_resync = middle.resync - distance
    blocks = tuple(
        nodes.Block(block.start, block.end + distance, block.kind, block.keyword, entries) if item is block
        else _moved_block(item, distance) if item.start > block.start else item
        for item in definition.blocks
    )  # fmt: skip
    end = definition.end + distance
    changed = nodes.Definition(definition.start, end, definition.kind, definition.public, definition.name, blocks)
    all_comments = (
        *(span for span in comments if span.end <= middle.restart),
        *middle.comments,
        *(span.shifted(distance) for span in comments if span.start >= old_resync),
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
        return nodes.ErrorBlock(block.start + distance, block.end + distance)
    entries = tuple(nodes.Entry(item.start + distance, item.end + distance, item.statement) for item in block.entries)
    keyword = block.keyword.shifted(distance)
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
