"""A file as a sequence of chunks: the part before the first definition, then one chunk per definition (invariant 3).

A definition begins where a line begins with ``operator NAME {`` or ``graph NAME {`` (after ``public`` or not). An
indented or broken head begins one as well, unless it stands in a string, or inside the braces of a definition that
ends: the parser reports that two definitions are nested. The comment lines right above a definition are a chunk of
their own, so an edit of a comment leaves the definition unchanged. Each chunk is parsed by its own text, and everything
in it counts from its start: an error in one chunk can't affect another, and a chunk whose text did not change is the
same object after an edit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.automaton import Automaton, read_expression, with_damage
from snd_analysis.skriptnd.syntax.builder import TreeBuilder
from snd_analysis.skriptnd.syntax.recovery import Recovery
from snd_analysis.skriptnd.syntax.reparse import reparse
from snd_analysis.skriptnd.syntax.tokens import Tokens, keywords, tokenize


# ---- text to tree. It never fails: any text gives a tree and the problems found (invariant 2) ------------------------
class Parsed(Struct, frozen=True):
    """A tree, its tokens, and its problems. Spans count from the start of the text."""

    document: nodes.Document
    tokens: Tokens
    problems: tuple[Problem, ...]


def parse(text: str) -> Parsed:
    """Parse a whole text (2.16)."""
    tokens = tokenize(text)
    automaton = Automaton(text, tokens.tokens, "document")
    recovery = Recovery(automaton)
    while not automaton.advance():
        recovery.recover()
    document = automaton.stacks.values[-1]
    assert isinstance(document, nodes.Document)
    problems = automaton.problems(tokens)
    return Parsed(with_damage(document, problems, text), tokens, tuple(problems))


def parse_expression(text: str) -> tuple[nodes.Expression, tuple[Problem, ...]]:
    """Return the single expression in a text (2.16), and its problems. Never fails."""
    builder = TreeBuilder(text, read_expression)
    return read_expression(builder, 0, len(text)), tuple(builder.problems)


# ---- a file as a sequence of chunks ----------------------------------------------------------------------------------
_HEADER_WORDS = ("operator", "graph")
# A word that a colon or the like follows is a name that looks like a keyword.
_BEHIND_HEADER_WORD = re.compile(r"\b(?!\s*[:=.,;)\]])")
_HEAD = re.compile(r"(?:public\s+)?(?:operator|graph)\s+(\w+)\s*\{")
_PUBLIC = "public"
_COMMENT_LINES = re.compile(r"(?:[ \t]*#[^\r\n]*(?:\r\n|\n|\r))+")
_COMMENT_LINES_BACKWARDS = re.compile(r"(?:(?:\n\r?|\r)[^\r\n]*#[ \t]*(?=[\r\n]|\ufeff?\Z))*")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Chunk:
    """A piece of a file and its tree. Immutable, and independent of its position in the file.

    It is parsed on first access: most of an imported module is never looked at. Parts of an
    older version, ``before``, may be reused.
    """

    __slots__ = ("_before", "_parsed", "_tokens", "text")

    def __init__(self, text: str, before: Chunk | None = None) -> None:
        self.text = text
        self._before = before
        self._parsed: _ParsedChunk | None = None
        self._tokens: Tokens | None = None

    @property
    def tokens(self) -> Tokens:
        """The tokens, whose spans count from the start of the chunk: read once, when somebody first asks."""
        if self._tokens is None:
            self._tokens = tokenize(self.text)
        return self._tokens

    @property
    def is_comment(self) -> bool:
        """Return whether it is the comment right above a definition, which is the next chunk."""
        return _COMMENT_LINES.fullmatch(self.text) is not None

    @property
    def is_parsed(self) -> bool:
        """Return whether the contents were accessed before."""
        return self._parsed is not None

    @property
    def document(self) -> nodes.Document:
        """The tree."""
        return (self._parsed or self._contents()).document

    @property
    def comments(self) -> tuple[Span, ...]:
        """Every comment."""
        return self._contents().comments

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the syntax problems; a keyword used as a name in several places is one problem."""
        return self._contents().told

    @property
    def definitions(self) -> Iterator[nodes.Definition]:
        """The operators and graphs of the chunk: one, unless two share a line."""
        return (item for item in self.document.items if isinstance(item, nodes.Definition))

    def _contents(self) -> _ParsedChunk:
        if self._parsed is None:
            self._parsed = self._reparsed() or _parsed(self.text)
            self._before = None
        return self._parsed

    def _reparsed(self) -> _ParsedChunk | None:
        before = self._before
        if before is None or before._parsed is None:
            return None
        changed = reparse(before.text, before.document, before.comments, before._parsed.problems, self.text)
        return changed and _ParsedChunk(*changed)


class _ParsedChunk(Struct, frozen=True, eq=False, dict=True):
    document: nodes.Document
    comments: tuple[Span, ...]
    problems: tuple[Problem, ...]

    @cached_property
    def told(self) -> tuple[Problem, ...]:
        """The problems, without repeated reports of the same keyword."""
        return tuple(_without_repetitions(self.problems))


def _without_repetitions(problems: tuple[Problem, ...]) -> Iterator[Problem]:
    keywords_told = set[str]()
    for problem in problems:
        if problem.rule == rules.KEYWORD_AS_NAME:
            if problem.message in keywords_told:
                continue
            keywords_told.add(problem.message)
        yield problem


def _parsed(text: str) -> _ParsedChunk:
    parsed = parse(text)
    return _ParsedChunk(parsed.document, parsed.tokens.comments, parsed.problems)


class PlacedChunk(Struct, frozen=True):
    """A chunk at its offset in the file."""

    start: int
    chunk: Chunk


class SyntaxTree(Struct, frozen=True, eq=False):
    """All chunks of a file in order; together they spell its text."""

    text: str
    chunks: tuple[PlacedChunk, ...]

    @property
    def definitions(self) -> Iterator[tuple[int, nodes.Definition]]:
        """Every definition with the offset that its spans count from."""
        return ((placed.start, item) for placed in self.chunks for item in placed.chunk.definitions)

    @property
    def problems(self) -> Iterator[Problem]:
        """Every syntax problem at its place in the file."""
        return (problem.shifted(placed.start) for placed in self.chunks for problem in placed.chunk.problems)

    @property
    def comments(self) -> Iterator[Span]:
        """Every comment at its place in the file."""
        return (span.shifted(placed.start) for placed in self.chunks for span in placed.chunk.comments)


def parse_file(text: str, previous: SyntaxTree | None = None) -> SyntaxTree:
    """Return the tree of a file.

    Parts of ``previous`` with the same text are reused; the result equals that of a fresh start.
    """
    known = {placed.chunk.text: placed.chunk for placed in previous.chunks} if previous else {}
    starts = chunk_starts(text)
    pieces = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    candidates = _changed(previous, pieces) if previous else []
    chunks = []
    for at, piece in enumerate(pieces):
        chunk = known.get(piece)
        if chunk is None:
            chunk = known[piece] = Chunk(piece, candidates[at] if at < len(candidates) else None)
        chunks.append(chunk)
    return SyntaxTree(text, tuple(PlacedChunk(start, chunk) for start, chunk in zip(starts, chunks, strict=True)))


def made_tree(
    text: str, document: nodes.Document, comments: tuple[Span, ...], problems: tuple[Problem, ...]
) -> SyntaxTree:
    """Return the tree of a file in another language, as one chunk of definitions made by another front end."""
    chunk = Chunk(text)
    chunk._parsed = _ParsedChunk(document, comments, problems)
    return SyntaxTree(text, (PlacedChunk(0, chunk),))


def chunk_starts(text: str) -> list[int]:
    """Return where the chunks of a text begin; the first is 0."""
    starts = [0]
    for line_start in _outermost(text, _header_lines(text)):
        for start in (_comment_start(text, line_start, starts[-1]), line_start):
            if start > starts[-1]:
                starts.append(start)
    return starts


def _header_lines(text: str) -> list[int]:
    """Return the starts of the lines that begin a definition. The search for plain words makes this fast."""
    lines = set[int]()
    for word in _HEADER_WORDS:
        at = text.find(word)
        while at >= 0:
            line_start = _header_line(text, at)
            if line_start is not None and _BEHIND_HEADER_WORD.match(text, at + len(word)):
                lines.add(line_start)
            at = text.find(word, at + len(word))
    return sorted(lines)


def _outermost(text: str, lines: list[int]) -> list[int]:
    """Return the lines without indented or broken heads that stand in a string or inside another definition."""
    doubtful = [line for line in lines if not _is_head(text, line)]
    if not doubtful:
        return lines
    inside = set[int]()
    for start, end in pairwise([0, *sorted({*lines} - {*doubtful}), len(text)]):
        between = [line for line in doubtful if start <= line < end]
        if between:
            inside.update(_lines_inside(text, start, end, between))
    return [line for line in lines if line not in inside]


def _lines_inside(text: str, start: int, end: int, lines: list[int]) -> Iterator[int]:
    """Yield the lines of ``text[start:end]`` that stand in a string, or in braces if all braces have a partner."""
    tokens = tokenize(text, start, end).tokens
    depth, depths = 0, list[int]()
    for token in tokens:
        depths.append(depth)
        depth += (token.kind == "LBRACE") - (token.kind == "RBRACE")
    is_balanced = depth == 0 and min(depths, default=0) == 0
    for line in lines:
        at = bisect_right(tokens, line, key=lambda token: token.start) - 1
        in_string = at >= 0 and tokens[at].kind == "STRING" and line < tokens[at].end
        is_nested = is_balanced and text[line] in " \t" and at + 1 < len(tokens) and depths[at + 1] > 0
        if in_string or is_nested:
            yield line


def _is_head(text: str, line: int) -> bool:
    head = _HEAD.match(text, line)
    return head is not None and head[1] not in keywords()


def _header_line(text: str, word: int) -> int | None:
    """Start of the line that begins with the word at ``word``, or with ``public`` before it."""
    before = word
    while before and text[before - 1].isspace():
        before -= 1
    start = before - len(_PUBLIC)
    if before < word and start >= 0 and text.startswith(_PUBLIC, start):
        line_start = _line_start(text, start)
        if line_start is not None:
            return line_start
    return _line_start(text, word)


def _line_start(text: str, at: int) -> int | None:
    """Start of the line, if only blanks stand before ``at`` on it."""
    while at and text[at - 1] in " \t":
        at -= 1
    return at if at == 0 or text[at - 1] in "\r\n" else None


def _comment_start(text: str, line_start: int, lowest: int) -> int:
    """Start of the comment lines that stand directly above the line."""
    above = _COMMENT_LINES_BACKWARDS.match(text[lowest:line_start][::-1])
    return line_start - (above.end() if above else 0)


def comment_above(text: str, offset: int) -> Span:
    """Return the comment lines right above the line of an offset, with their line breaks; empty if there are none."""
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return Span(_comment_start(text, line_start, 0), line_start)


def documentation(text: str, offset: int) -> str:
    """Return the comment right above a definition that begins at ``offset``, without the ``#``; "" if there is none."""
    above = comment_above(text, offset)
    lines = _LINE_BREAK.split(text[above.start : above.end])[:-1]
    return "\n".join(line.strip()[1:].removeprefix(" ") for line in lines)


def _changed(previous: SyntaxTree, pieces: list[str]) -> list[Chunk | None]:
    """Return the old chunk of each piece, by position; empty if the number of chunks changed."""
    if len(previous.chunks) != len(pieces):
        return []
    return [placed.chunk for placed in previous.chunks]
