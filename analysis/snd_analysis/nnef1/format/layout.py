"""Tokens to lines: brackets are broken from the outside, and only where a line would be too long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from snd_analysis.base import Span
from snd_analysis.nnef1.syntax import Nnef1Token

INDENT = 4
_CLOSING = {"(": ")", "[": "]"}
_OPERATORS = frozenset(["+", "-", "*", "/", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"])
_WORDS = frozenset(["if", "else", "for", "in", "yield"])
_TYPES = frozenset(["integer", "scalar", "logical", "string"])
_BEFORE_OPERAND = _OPERATORS | _WORDS | {"=", "->", "(", "[", ",", ":"}
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Word(Struct, frozen=True):
    """A token with the blank before it, and the comments that follow it."""

    text: str
    spaced: bool
    """True if a blank stands before it, unless it begins a line."""
    breaks: bool
    """True if a line may begin with it where nothing else helps: an operator with two operands."""
    comments: tuple[str, ...] = ()
    own_lines: tuple[bool, ...] = ()
    """For each comment, True if it stands on a line of its own."""


class Group(Struct):
    """Brackets, and the items between them, each with the comma that follows it."""

    opening: Word
    items: list[list[LayoutPart]] = field(default_factory=list)
    closing: Word | None = None


LayoutPart: TypeAlias = "Word | Group"


def words_of(text: str, tokens: Sequence[Nnef1Token], comments: Sequence[Span]) -> list[Word]:
    """Return tokens with the blanks that belong before them. ``comments`` are the comments among them, in order."""
    tight = _generics(tokens)
    found: list[Word] = []
    brackets: list[str] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        inside = brackets[-1] if brackets else ""
        is_binary = token.text in _OPERATORS and token.kind == token.text and not _is_unary(before, token)
        is_spaced = _is_spaced(tokens, at, inside, tight)
        end = tokens[at + 1].start if at + 1 < len(tokens) else len(text)
        behind = [span for span in comments if token.end <= span.start < end]
        texts = tuple(text[span.start : span.end].rstrip() for span in behind)
        own = tuple(_LINE_BREAK.search(text, token.end, span.start) is not None for span in behind)
        breaks = (is_binary and at not in tight) or token.text in ("if", "else", "yield")
        found.append(Word(token.text, is_spaced, breaks, texts, own))
        if token.kind in _CLOSING:
            brackets.append(token.kind)
        elif brackets and token.kind == _CLOSING[brackets[-1]]:
            brackets.pop()
    return found


def _generics(tokens: Sequence[Nnef1Token]) -> set[int]:
    """Return the indices of the brackets ``<…>`` around types, and of the tokens in them."""
    found: set[int] = set()
    for at, token in enumerate(tokens):
        if token.kind != "<" or not at:
            continue
        following = tokens[at + 1 : at + 5]
        length = next((number for number, each in enumerate(following, 1) if each.kind == ">"), 0)
        inner = [each.text for each in following[: max(0, length - 1)]]
        if length and (tokens[at - 1].text == "tensor" or (inner and all(map(_is_of_type, inner)))):
            found.update(range(at, at + length + 1))
    return found


def _is_of_type(text: str) -> bool:
    return text in _TYPES or text in ("?", "=")


def _is_unary(before: Nnef1Token | None, token: Nnef1Token) -> bool:
    if token.text == "!":
        return True
    return token.text in ("-", "+") and (before is None or before.text in _BEFORE_OPERAND)


def _is_spaced(tokens: Sequence[Nnef1Token], at: int, inside: str, tight: set[int]) -> bool:
    if not at:
        return False
    before, token = tokens[at - 1], tokens[at]
    earlier = tokens[at - 2] if at > 1 else None
    is_operand = before.kind == before.text and before.text in ("-", "+", "!") and _is_unary(earlier, before)
    if token.kind in (")", "]", ",") or before.kind in ("(", "[") or is_operand:
        return False
    if at in tight or at - 1 in tight:
        return "=" in (token.kind, before.kind) or (at not in tight and token.kind not in ("(", "["))
    if inside == "[" and ":" in (token.kind, before.kind):
        return False  # the range of a subscript
    if token.kind == ":":
        return False
    if token.kind in ("(", "["):  # an invocation or a subscript
        return before.kind not in (")", "]", "STRING", "EXTENDED") and (before.kind != "NAME" or before.text in _WORDS)
    return True


def grouped(words: Sequence[Word]) -> list[LayoutPart] | None:
    """Return words with brackets as groups; None if brackets do not match."""
    top: list[LayoutPart] = []
    open_: list[Group] = []
    for word in words:
        parts = top if not open_ else open_[-1].items[-1]
        if word.text in _CLOSING:
            group = Group(word, [[]])
            parts.append(group)
            open_.append(group)
        elif open_ and word.text == _CLOSING[open_[-1].opening.text]:
            group = open_.pop()
            group.closing = word
            if not group.items[-1]:
                group.items.pop()
        elif word.text in (")", "]"):
            return None
        elif word.text == "," and open_:
            parts.append(word)
            open_[-1].items.append([])
        else:
            parts.append(word)
    return None if open_ else top


class Printer:
    """The layout of parts in lines of a width."""

    def __init__(self, width: int, indent: int) -> None:
        self._width = width
        self._lines: list[str] = []
        self._line = " " * indent
        self._indent = indent

    def lines(self, parts: Sequence[LayoutPart], ending: str) -> list[str]:
        """Return the lines of parts, with ``ending`` behind the last."""
        self._parts(parts, len(ending))
        if self._line.strip():
            self._line += ending
            self._lines.append(self._line)
        else:  # a comment stands last
            at = next(at for at in reversed(range(len(self._lines))) if not self._lines[at].lstrip().startswith("#"))
            code, mark, comment = _split_comment(self._lines[at])
            self._lines[at] = f"{code}{ending}{mark}{comment}"
        return self._lines

    def _parts(self, parts: Sequence[LayoutPart], room: int) -> None:
        """Write parts; ``room`` is the width needed behind them."""
        last = next((each for each in reversed(parts) if isinstance(each, Group) and each.items), None)
        for at, part in enumerate(parts):
            rest = parts[at:]
            if isinstance(part, Word):
                if part.breaks and self._overflows(_flat(self._operand(rest)), room if self._is_last(rest) else 0):
                    self._new_line(self._indent + INDENT)
                self._word(part)
            elif _has_comments(part) or (part.items and self._must_break(part, rest, part is last, room)):
                self._broken(part, room)
            else:
                for word in _words(part):
                    self._word(word)

    def _must_break(self, group: Group, rest: Sequence[LayoutPart], is_last: bool, room: int) -> bool:
        if is_last:
            return self._overflows(_flat(rest), room)
        return self._overflows(_flat([group]), 0)

    def _operand(self, rest: Sequence[LayoutPart]) -> Sequence[LayoutPart]:
        """Return the longest prefix of ``rest`` that a line break can't split: an operator and its operand."""
        found: list[LayoutPart] = [rest[0]]
        for part in rest[1:]:
            if isinstance(part, Word) and part.breaks:
                break
            if isinstance(part, Group) and part.items:
                found.append(part.opening)
                break
            found.append(part)
        return found

    def _is_last(self, rest: Sequence[LayoutPart]) -> bool:
        return not any(isinstance(each, Group) or each.breaks for each in rest[1:])

    def _overflows(self, text: str, room: int) -> bool:
        return len(self._line) + len(text) + room > self._width

    def _broken(self, group: Group, room: int) -> None:
        """Write the items of a group on lines of their own, or fill lines if all items are short."""
        self._word(group.opening)
        before, self._indent = self._indent, self._indent + INDENT
        self._new_line(self._indent)
        fits = not any(map(_has_comments_in, group.items)) and not self._overflows(_flat_items(group), 0)
        fills = fits or all(map(_is_literal, group.items))
        for at, item in enumerate(group.items):
            if at and (not fills or self._overflows(_flat(item), 0)):
                self._new_line(self._indent)
            self._parts(item, 0)
        self._indent = before
        self._new_line(self._indent)
        assert group.closing is not None
        self._word(group.closing)

    def _word(self, word: Word) -> None:
        if word.spaced and self._line.strip():
            self._line += " "
        self._line += word.text
        for comment, own in zip(word.comments, word.own_lines, strict=True):
            if own:
                self._new_line(self._indent)
                self._line += comment
            else:
                self._line += f"  {comment}"
            self._new_line(self._indent)

    def _new_line(self, indent: int) -> None:
        if self._line.strip():
            self._lines.append(self._line.rstrip())
        self._line = " " * indent


def _split_comment(line: str) -> tuple[str, str, str]:
    at = re.search(r"  #", line)
    return (line, "", "") if at is None else (line[: at.start()], "  ", line[at.start() + 2 :])


def _is_literal(item: Sequence[LayoutPart]) -> bool:
    """Return whether an item is one number or string, with its sign and its comma."""
    words = [each for each in item if isinstance(each, Word) and each.text not in ("-", ",")]
    return len(words) == 1 and len(item) <= 3 and words[0].text[0] in "0123456789.\"'"


def _has_comments(group: Group) -> bool:
    """Return whether a comment stands inside of a group."""
    return any(word.comments for word in _words(group) if word is not group.closing)


def _has_comments_in(parts: Sequence[LayoutPart]) -> bool:
    return any(word.comments for part in parts for word in _words(part))


def _words(part: LayoutPart) -> Iterator[Word]:
    if isinstance(part, Word):
        yield part
        return
    yield part.opening
    for item in part.items:
        for each in item:
            yield from _words(each)
    assert part.closing is not None
    yield part.closing


def _flat(parts: Sequence[LayoutPart]) -> str:
    return "".join(f" {word.text}" if word.spaced else word.text for part in parts for word in _words(part))


def _flat_items(group: Group) -> str:
    return "".join(map(_flat, group.items))
