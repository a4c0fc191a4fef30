"""The place of a cursor: the unfinished name, and its surroundings."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Span
from snd_analysis.ide.completion.stack import OpenBracket, Stack, stack_of
from snd_analysis.ide.cursor import chunk_at, tokens_around
from snd_analysis.ide.limits import STATEMENTS_BEFORE
from snd_analysis.skriptnd.syntax import PlacedChunk, Token, nodes, tokenize
from snd_analysis.workspace import Snapshot

_WORD_BEFORE = re.compile(r"@?\w*\Z", re.ASCII)
# Characters that can't be in a dotted name: it begins after the last of these.
_BETWEEN_NAMES = ";,(){}[]<>=:"
_WORD_BEHIND = re.compile(r"\w*", re.ASCII)
_QUALIFIER = re.compile(r"(?:[A-Za-z_]\w*\s*\.\s*)+\Z", re.ASCII)
_NEXT_WORD = re.compile(r"[ \t]*(\w+)")
_MEMBER = re.compile(r"\.(?!\.)\s*(\w*)")
# An unfinished expression in a string.
_FIELD = re.compile(r"(?<!\\)\{(?P<code>[^{}\"']*)\Z")
# A line that begins like a statement; attributes are not written with blanks before their '='.
_STATEMENT = re.compile(
    r"(?:\A|[\r\n])(?P<blank>[ \t]*)(?:~|[A-Za-z_]\w*)(?:[ \t]*,[ \t]*(?:~|\w+))*[ \t]+=[ \t][^\r\n]*\Z"
)


class CompletionPlace(Struct, frozen=True, dict=True):
    """The name being written at a cursor. Offsets count from the start of the file."""

    path: str
    text: str
    """Text of the file."""
    head: int
    """Offset of the start of the name, including the names before its last dot."""
    start: int
    """Offset of the start of the word being written."""
    offset: int
    end: int
    """Offset of the end of the word around the cursor."""
    qualifier: tuple[str, ...]
    stack: Stack
    chunk: PlacedChunk
    definition: nodes.Definition | None
    in_sample: bool = False

    @cached_property
    def prefix(self) -> str:
        """Return the written part of the word."""
        return self.text[self.start : self.offset]

    @property
    def insert(self) -> Span:
        """The word before the cursor."""
        return Span(self.start, self.offset)

    @property
    def replace(self) -> Span:
        """The whole word."""
        return Span(self.start, self.end)

    @cached_property
    def following(self) -> str:
        """The next character on the line after the word; empty if there is none, or a comment."""
        line = self.text[self.end : self.end + 200].splitlines()[:1] or [""]
        rest = line[0].lstrip(" \t")
        return "" if rest.startswith("#") else rest[:1]

    @cached_property
    def following_word(self) -> str:
        """The next word on the line after the word."""
        found = _NEXT_WORD.match(self.text, self.end)
        return found[1] if found else ""

    @cached_property
    def stands_alone(self) -> bool:
        """Return whether the word is its whole expression, as far as the following text shows."""
        return self.following in ("", ",", ")", "}", "]", ";", ":") or self.following_word in (
            "then", "else", "elif", "do", "while", "unroll",
        )  # fmt: skip

    @cached_property
    def member(self) -> str:
        """The name after a dot that follows the word: of an operator, or ``shape`` and the like."""
        found = _MEMBER.match(self.text, self.end)
        return found[1] if found else ""

    @cached_property
    def block(self) -> nodes.BlockKind | None:
        """The block around the cursor; None outside of any, and in one that does not exist."""
        for at in reversed(self.stack.openers):
            if self.stack.frame_of(at) is OpenBracket.BLOCK:
                token = self.stack.values[at - 1]
                word = self._block_word(token)
                return next((kind for kind in nodes.BlockKind if kind == word), None)
        return None

    def _block_word(self, token: Token) -> str:
        return token.spelling(self.read)[1:]

    read: str = ""
    """Text that the stack was built from."""


def place_at(snapshot: Snapshot, path: str, offset: int) -> CompletionPlace | None:
    """Return the place of a cursor in code; None in comments, strings and numbers."""
    tree = snapshot.tree(path)
    text = tree.text
    chunk = chunk_at(tree, offset)
    if chunk is None:
        return None
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    word = _WORD_BEFORE.search(text, line_start, offset)
    start = word.start() if word else offset
    # ``chunk_at`` returns the chunk that begins at the offset; a word belongs to the chunk that it begins in.
    if start < chunk.start:
        start = offset
    if text[start:offset][:1].isdigit():
        return None
    literal = _literal_around(chunk, offset)
    field = None if literal is None else _FIELD.search(text, literal.start + chunk.start, start)
    if literal is not None and field is None:
        return None
    names_start = max(chunk.start, *(text.rfind(mark, chunk.start, start) for mark in _BETWEEN_NAMES))
    found = _QUALIFIER.search(text, names_start, start)
    head = found.start() if found and not text[start:offset].startswith("@") else start
    qualifier = tuple(part.strip() for part in text[head:start].split(".")[:-1])
    definition = _definition(chunk, head)
    if field is not None:
        begin, before = field.end() - len(field["code"]), "operator _ { @using { _ = "
    else:
        begin, before = beginning(chunk, definition, head)
    read = before + text[begin:head]
    end = _WORD_BEHIND.match(text, offset)
    return CompletionPlace(
        path, text, head, start, offset, end.end() if end else offset, qualifier, stack_of(read), chunk, definition,
        read=read,
    )  # fmt: skip


def string_place(snapshot: Snapshot, path: str, offset: int) -> CompletionPlace | None:
    """Return the place of a string on one line that a cursor stands in, its text as the word; None if there is none."""
    text = snapshot.tree(path).text
    chunk = chunk_at(snapshot.tree(path), offset)
    literal = None if chunk is None else _literal_around(chunk, offset)
    if chunk is None or literal is None:
        return None
    start = literal.start + chunk.start
    outside = place_at(snapshot, path, start)
    if outside is None or "\n" in text[start:offset]:
        return None
    end = literal.end + chunk.start - _is_closed(chunk, literal)
    return replace(outside, start=start + 1, offset=offset, end=max(end, offset), qualifier=())


def sample_place(snapshot: Snapshot, path: str, offset: int, code: str, start: int) -> CompletionPlace | None:
    """Return the place of a cursor in the code of a sample that begins at ``start``.

    ``code`` is the part before the cursor.
    """
    tree = snapshot.tree(path)
    text = tree.text
    chunk = chunk_at(tree, offset)
    word = _WORD_BEFORE.search(code)
    length = len(word[0]) if word else 0
    if chunk is None or code[len(code) - length :][:1].isdigit():
        return None
    before = code[: len(code) - length]
    tokens = tokenize(before).tokens
    if tokens and tokens[-1].kind in ("STRING", "ILLEGAL") and tokens[-1].end == len(before):
        return None
    found = _QUALIFIER.search(before)
    qualifier = tuple(part.strip() for part in found[0].split(".")[:-1]) if found else ()
    head = offset - length - (len(found[0]) if found else 0)
    definition = next(iter(chunk.chunk.definitions), None)
    read = "operator _ { @compose { _ = " + (before[: found.start()] if found else before)
    end = _WORD_BEHIND.match(text, offset)
    return CompletionPlace(
        path, text, head, offset - length, offset, end.end() if end else offset, qualifier, stack_of(read), chunk,
        definition, in_sample=True, read=read,
    )  # fmt: skip


def _literal_around(chunk: PlacedChunk, offset: int) -> Token | None:
    """Return the string that an offset stands in."""
    at = offset - chunk.start
    for token in tokens_around(chunk.chunk, at, at):
        if token.start >= at:
            return None
        if token.kind == "STRING" and (at < token.end or (at == token.end and not _is_closed(chunk, token))):
            return token
    return None


def _is_closed(chunk: PlacedChunk, token: Token) -> bool:
    text = chunk.chunk.text
    return token.end - token.start > 1 and text[token.end - 1] == text[token.start]


def _definition(chunk: PlacedChunk, offset: int) -> nodes.Definition | None:
    """Return the definition around an offset, or the one above that was never closed."""
    at = offset - chunk.start
    last: nodes.Definition | None = None
    for each in chunk.chunk.definitions:
        if each.start <= at <= each.end:
            return each
        last = each if each.end < at else last
    if last is None:
        return None
    kinds = [token.kind for token in chunk.chunk.tokens.tokens if last.start <= token.start < at]
    return last if kinds.count("LBRACE") > kinds.count("RBRACE") else None


def beginning(chunk: PlacedChunk, definition: nodes.Definition | None, head: int) -> tuple[int, str]:
    """Return the offset from which to read the text before the cursor, and the replacement of the skipped text."""
    at = head - chunk.start
    if definition is None:
        ends = [each.end for each in chunk.chunk.definitions if each.end <= at]
        # After a definition only its braces count; it is read again if they may be broken.
        if ends and not chunk.chunk.problems:
            return chunk.start + ends[-1], ""
        return chunk.start, ""
    for block in definition.blocks:
        if isinstance(block, nodes.Block) and block.keyword.end < at and at < block.end:
            ended = bisect_right(block.entries, at, key=lambda entry: entry.end)
            near = block.entries[max(ended - STATEMENTS_BEFORE, 0) : ended]
            text = chunk.chunk.text
            broken = [index for index, entry in enumerate(near) if _is_broken(entry)]
            if near and not broken and _goes_on(text, near[-1].end, at):
                broken = [len(near) - 1]
            whole = ended - len(near) + broken[0] if broken else ended
            inside = f"{definition.kind} _ {{ @{block.kind} {{ "
            begun = bisect_right(block.entries, at, key=lambda entry: entry.start)
            starts = [block.entries[begun - 1].start] if begun else []
            line = _STATEMENT.search(text, max(text.rfind("\n", 0, at), text.rfind("\r", 0, at), 0), at)
            here = max([*starts, *([line.end("blank")] if line else [])], default=block.start)
            begin = block.entries[whole - 1].end if whole else block.start
            before = inside if whole else f"{definition.kind} _ {{ "
            if broken and here > begin and _is_between(before + chunk.chunk.text[begin:here]):
                return chunk.start + here, inside
            return chunk.start + begin, before
    return chunk.start + definition.start, ""


def _is_between(text: str) -> bool:
    """Return whether a text ends inside a construct that can't contain a statement, such as an unclosed bracket."""
    stack = stack_of(text)
    return not stack.is_certain or stack.frame not in (OpenBracket.BLOCK, OpenBracket.REGION)


def _goes_on(text: str, end: int, at: int) -> bool:
    """Return whether the part that ends there has no ';' and continues on the line of the cursor."""
    return text[end - 1] != ";" and not text[end:at].strip(" \t")


def _is_broken(entry: nodes.Entry) -> bool:
    return entry.damage is not None or isinstance(entry.statement, nodes.ErrorEntry)
