"""A chunk: its head, imports, definitions and blocks, each entry on lines of its own."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.format.compositions import component, quantization
from snd_analysis.skriptnd.format.cursor import CONTINUATION, STEP, Cursor, Unprintable, count_line_breaks
from snd_analysis.skriptnd.format.declarations import assertion, dtype_declaration, index_bound, parameter, using
from snd_analysis.skriptnd.format.expressions import expression, separated
from snd_analysis.skriptnd.format.layout import Document, Fill, Group, render
from snd_analysis.skriptnd.syntax import Chunk, Token, Tokens, nodes, tokenize
from snd_analysis.skriptnd.syntax.nodes import BlockKind


# ---- formulas of ``@lower`` (2.12): the computed expression, and below it the bounds of the indices ------------------
def lowering(cursor: Cursor, node: nodes.Lowering) -> Document:
    """Return the layout of ``unroll``, locals and the formula: each on lines of its own."""
    column = cursor.column
    parts: list[Document] = []
    if node.unroll is not None:
        parts += [_unroll(cursor, node.unroll), _line(cursor, column)]
    if node.locals:
        inner = column + STEP
        parts.append(cursor.take("with"))
        for local in node.locals:
            parts.append(_line(cursor, inner))
            parts += [_local(cursor, local), cursor.take(",", ":")]
        parts.append(_line(cursor, inner))
    parts += [cursor.take_node(node.target.name)]
    parts += [expression(cursor, index) for index in node.target.indices]
    parts += [cursor.space(), cursor.take_node(node.operator), cursor.space(), expression(cursor, node.value)]
    after: list[Document] = []
    if node.bounds:
        parts += [cursor.take(","), cursor.line(hard=True)]
        after.append(separated(cursor, node.bounds, index_bound))
    if node.condition is not None:
        after += [cursor.line(), cursor.take("|"), cursor.space(), expression(cursor, node.condition)]
    parts.append(Group(tuple(after)))
    return tuple(parts)


def _unroll(cursor: Cursor, node: nodes.Unroll) -> Document:
    parts = [cursor.take("unroll"), cursor.take(".."), cursor.take("(")]
    if node.name is not None:
        parts += [cursor.take_node(node.name), cursor.space(), cursor.take("->"), cursor.space()]
    return (*parts, expression(cursor, node.count), cursor.take(")"))


def _local(cursor: Cursor, node: nodes.Local) -> Document:
    parts = [cursor.take_node(node.name), cursor.space(), cursor.take("="), cursor.space()]
    return (*parts, expression(cursor, node.value))


def _line(cursor: Cursor, column: int) -> Document:
    cursor.indent = column
    line = cursor.line(hard=True)
    cursor.indent = column + CONTINUATION
    return line


# ---- a chunk ---------------------------------------------------------------------------------------------------------
_PRINTERS: dict[type[nodes.Node], Callable[[Cursor, Any], Document]] = {
    nodes.DtypeDeclaration: dtype_declaration,
    nodes.Parameter: parameter,
    nodes.Using: using,
    nodes.Assertion: assertion,
    nodes.Lowering: lowering,
    nodes.Component: component,
    nodes.Quantization: quantization,
}


def printed_chunk(chunk: Chunk, tokens: Tokens, width: int) -> list[str]:
    """Return the lines of a chunk. Raise Unprintable if its text is not all in its tree."""
    return _ChunkPrinter(chunk, tokens, width).lines()


def entry_edit(chunk: Chunk, entry: nodes.Entry, width: int) -> tuple[Span, str] | None:
    """Return the replacement that formats one entry of a chunk in any state; None if nothing changes.

    The span counts from the start of the chunk; lines end in line feeds.
    """
    try:
        return _ChunkPrinter(chunk, tokenize(chunk.text), width).entry_edit(entry)
    except Unprintable:
        return None


class _ChunkPrinter:
    """The text of a chunk, written from the first character to the last; ``_end`` is the position reached."""

    def __init__(self, chunk: Chunk, tokens: Tokens, width: int) -> None:
        self._chunk = chunk
        self._text = chunk.text
        self._width = width
        self._tokens = tokens
        self._starts = [token.start for token in self._tokens.tokens]
        self._comment_starts = [comment.start for comment in self._tokens.comments]
        self._lines: list[str] = []
        self._end = 0
        self._is_open = True
        """True if a brace was just opened, or nothing written yet: no blank line follows."""
        self._problems = sorted(problem.span.start for problem in chunk.problems)
        self._wants_blank_line = False
        """True if a blank line follows in any case."""

    def lines(self) -> list[str]:
        """Return all lines, without line breaks at their ends."""
        self._demand_known_places()
        for item in self._chunk.document.items:
            match item:
                case nodes.Definition():
                    self._wants_blank_line = bool(self._lines)
                    self._definition(item)
                case nodes.ErrorItem():
                    raise Unprintable
                case _:
                    self._statement(item.start, item.end, 0, lambda cursor, item=item: _head_item(cursor, item))  # type: ignore[misc]
        self._trivia(len(self._text), 0, closing=True)
        return self._lines

    def _demand_known_places(self) -> None:
        """Demand that broken parts are inside entries, which then stay unchanged."""
        entries = [
            entry
            for definition in self._chunk.definitions
            for block in definition.blocks
            if isinstance(block, nodes.Block)
            for entry in block.entries
        ]
        for problem in self._chunk.problems:
            at = bisect_right(entries, problem.span.start, key=lambda entry: entry.start) - 1
            if at < 0 or problem.span.end > entries[at].end:
                raise Unprintable

    # ---- definitions -------------------------------------------------------------------------------------------------
    def _definition(self, definition: nodes.Definition) -> None:
        if any(isinstance(block, nodes.ErrorBlock) for block in definition.blocks):
            raise Unprintable
        words = ["public"] if definition.public else []
        words += [definition.kind, definition.name.text, "{"]
        brace = self._index(definition.name.start) + 1
        self._words(definition.start, self._tokens.tokens[brace].end, words, 0)
        for block in definition.blocks:
            assert isinstance(block, nodes.Block)
            self._block(block)
        self._close(definition.end, 0)

    def _block(self, block: nodes.Block) -> None:
        brace = self._index(block.start) + 1
        end = self._tokens.tokens[brace].end
        is_empty = not block.entries and not self._text[end : block.end - 1].strip()
        if is_empty:
            self._words(block.start, block.end, [f"@{block.kind}", "{", "}"], STEP)
            self._is_open = False
            return
        self._words(block.start, end, [f"@{block.kind}", "{"], STEP)
        for run in self._runs(block.entries):
            if len(run) == 1:
                self._entry(run[0])
            else:
                self._verbatim(run[0].start, self._end_of(run[-1])[0])
        self._close(block.end, STEP)

    def _runs(self, entries: Iterable[nodes.Entry]) -> Iterator[list[nodes.Entry]]:
        """Yield the entries one by one, but a broken entry together with the entries behind it on its line."""
        run: list[nodes.Entry] = []
        has_broken = False
        for entry in entries:
            between = self._text[self._end_of(run[-1])[0] : entry.start] if run else ""
            if run and (count_line_breaks(between) or not has_broken):
                yield run
                run, has_broken = [], False
            run.append(entry)
            has_broken = has_broken or self._is_broken(entry)
        if run:
            yield run

    def entry_edit(self, entry: nodes.Entry) -> tuple[Span, str] | None:
        """Return the replacement of a single entry; None if it stays unchanged, or shares its lines."""
        end, _ = self._end_of(entry)
        line = max(self._text.rfind("\n", 0, entry.start), self._text.rfind("\r", 0, entry.start)) + 1
        if self._text[line : entry.start].strip() or self._is_broken(entry):
            return None
        self._end = entry.start
        self._entry(entry)
        text = "\n".join(self._lines)
        return (Span(line, end), text) if text != self._text[line:end] else None

    def _entry(self, entry: nodes.Entry) -> None:
        printer = _PRINTERS.get(type(entry.statement))
        end, is_closed = self._end_of(entry)
        if printer is None or not is_closed or self._is_broken(entry):
            self._verbatim(entry.start, end)
            return
        statement = entry.statement
        self._statement(entry.start, end, 2 * STEP, lambda cursor: printer(cursor, statement))

    def _end_of(self, entry: nodes.Entry) -> tuple[int, bool]:
        """Return the end of an entry, including its semicolon, and whether it has one."""
        last = self._token_at(entry.end - 1)
        if last is not None and last.spelling(self._text) == ";":
            return entry.end, True
        following = self._token_behind(entry.end)
        is_closed = following is not None and following.spelling(self._text) == ";"
        return (following.end, True) if is_closed and following is not None else (entry.end, False)

    def _is_broken(self, entry: nodes.Entry) -> bool:
        end, _ = self._end_of(entry)
        first = bisect_left(self._problems, entry.start)
        is_hit = first < len(self._problems) and self._problems[first] <= end
        return is_hit or isinstance(entry.statement, nodes.ErrorEntry)

    def _close(self, end: int, column: int) -> None:
        self._trivia(end - 1, column + STEP, closing=True)
        self._put("}", column, end)
        self._is_open = False

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _words(self, start: int, end: int, words: list[str], column: int) -> None:
        """Print tokens with blanks between them; comments among them can't be printed."""
        found = [token.spelling(self._text) for token in self._tokens_in(start, end)]
        if found != words or self._comments_in(start, end):
            raise Unprintable
        self._trivia(start, column)
        self._put(" ".join(words).replace("{ }", "{}"), column, end)
        self._is_open = words[-1] == "{"

    def _statement(self, start: int, end: int, column: int, printer: Callable[[Cursor], Document]) -> None:
        self._trivia(start, column)
        tokens = self._tokens_in(start, end)
        cursor = Cursor(self._text, tokens, self._comments_in(start, end), start, column)
        try:
            document = (printer(cursor), cursor.take(";"))
            if cursor.next is not None:
                raise Unprintable
        except Unprintable:
            self._verbatim(start, end)
            return
        self._put(render(document, self._width, column), column, end)
        self._is_open = False

    def _verbatim(self, start: int, end: int) -> None:
        column = 2 * STEP
        start += len(self._text[start:end]) - len(self._text[start:end].lstrip())
        self._trivia(start, column)
        self._put(_with_newlines(self._text[start:end]), column, end)
        self._is_open = False

    def _put(self, text: str, column: int, end: int) -> None:
        self._lines += (" " * column + text).split("\n")
        self._end = end

    def _trivia(self, end: int, column: int, closing: bool = False) -> None:
        """Print comments and blank lines before the item that begins at ``end``."""
        for comment in self._comments_in(self._end, end):
            text = self._text[comment.start : comment.end].rstrip()
            line_breaks = count_line_breaks(self._text[self._end : comment.start])
            if not line_breaks and self._lines and self._end:
                self._lines[-1] += f"  {text}"
            else:
                self._blank_line(line_breaks)
                self._lines.append(" " * column + text)
                self._is_open = False
            self._end = comment.end
        if not closing:
            self._blank_line(count_line_breaks(self._text[self._end : end]))

    def _blank_line(self, line_breaks: int) -> None:
        if (line_breaks > 1 or self._wants_blank_line) and not self._is_open and self._lines:
            self._lines.append("")
        self._wants_blank_line = False

    # ---- tokens ------------------------------------------------------------------------------------------------------
    def _index(self, start: int) -> int:
        index = bisect_left(self._starts, start)
        if index >= len(self._starts) or self._starts[index] != start:
            raise Unprintable
        return index

    def _tokens_in(self, start: int, end: int) -> list[Token]:
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return list(self._tokens.tokens[first:last])

    def _token_at(self, offset: int) -> Token | None:
        index = bisect_left(self._starts, offset + 1) - 1
        token = self._tokens.tokens[index] if index >= 0 else None
        return token if token is not None and token.start <= offset < token.end else None

    def _token_behind(self, offset: int) -> Token | None:
        index = bisect_left(self._starts, offset)
        return self._tokens.tokens[index] if index < len(self._starts) else None

    def _comments_in(self, start: int, end: int) -> tuple[Span, ...]:
        first, last = bisect_left(self._comment_starts, start), bisect_left(self._comment_starts, end)
        return self._tokens.comments[first:last]


def _head_item(cursor: Cursor, item: nodes.Node) -> Document:
    """Return the layout of a ``version``, ``extension`` or ``import`` statement.

    Its spans count from the chunk, not from the statement.
    """
    keyword = (cursor.take(), cursor.space())
    pieces: list[Document] = [cursor.take()]
    lines: list[Document] = []
    while cursor.next is not None and not cursor.sees(";"):
        if cursor.sees(",", "."):
            pieces[-1] = (pieces[-1], cursor.take(), cursor.take()) if cursor.sees(".") else (pieces[-1], cursor.take())
        else:
            lines.append(cursor.line())
            pieces.append(cursor.take())
    return keyword, Fill(tuple(pieces), tuple(lines))


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


# ---- the edit that adds assertions to an operator --------------------------------------------------------------------
_RELATION = re.compile(r"(.+?) (<=|<|>=|>|==|!=) (.+)")
_SAYS = {
    "<=": "must be at most",
    "<": "must be less than",
    ">=": "must be at least",
    ">": "must be greater than",
    "==": "must be",
    "!=": "must not be",
}
_BEFORE = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.USING, BlockKind.OUTPUT)


def new_assertion(text: str, start: int, definition: nodes.Definition, *assertions: str) -> Edit | None:
    """Return the edit of a file that adds assertions to a definition; None if it has no block to put them at.

    The chunk of the definition begins at ``start``. Assertions get messages where all others have one.
    """
    others = nodes.entries_of(definition, BlockKind.ASSERT, nodes.Assertion)
    if others and all(each.message is not None for _, each in others):
        assertions = tuple(map(_with_message, assertions))
    blocks = [each for each in definition.blocks if isinstance(each, nodes.Block)]
    for block in blocks:
        if block.kind is BlockKind.ASSERT:
            inside = text[: start + block.end - 1].rstrip()
            row = text[text.rfind("\n", 0, len(inside)) + 1 : len(inside)]
            if "@assert" in row:  # the block stands in one line
                return Edit(Span(len(inside), len(inside)), "".join(f" {each};" for each in assertions))
            indent = row[: len(row) - len(row.lstrip())]
            return Edit(Span(len(inside), len(inside)), "".join(f"\n{indent}{each};" for each in assertions))
    before = [block for block in blocks if block.kind in _BEFORE]
    if not before:
        return None
    end = start + max(block.end for block in before)
    lines = "".join(f"\n        {each};" for each in assertions)
    return Edit(Span(end, end), f"\n    @assert {{{lines}\n    }}")


def _with_message(assertion: str) -> str:
    """Return an assertion with a message in the words of the library, and the values of its names."""
    names = ", ".join(dict.fromkeys(re.findall(r"\b[a-zA-Z_]\w*", assertion)))
    return f'{assertion}: "{_message(assertion)}", {names}'


def _message(assertion: str) -> str:
    parts = assertion.split(" && ")
    relations = [match for match in map(_RELATION.fullmatch, parts) if match is not None]
    if "||" in assertion or len(relations) < len(parts) or any(each[1] != relations[0][1] for each in relations):
        return f"'{assertion}' must hold"
    subject = relations[0][1]
    divided = re.fullmatch(r"(.+) % (.+)", subject)
    if divided is not None and assertion.endswith(" == 0"):
        return f"{_quoted(divided[1])} must be a multiple of {_quoted(divided[2])}"
    if assertion == f"{subject} > 0":
        return f"'{subject}' must be positive"
    if assertion == f"{subject} >= 0":
        return f"'{subject}' must not be negative"
    said = [f"{_SAYS[each[2]]} {_quoted(each[3])}" for each in relations]
    return f"{_quoted(subject)} {' and '.join([said[0], *(each.removeprefix('must be ') for each in said[1:])])}"


def _quoted(value: str) -> str:
    if re.fullmatch(r"\([^()]*\)", value):
        value = value[1:-1]
    return value if value.isdigit() else f"'{value}'"
