"""Text to tokens: one compiled pattern, exact spans, and a token for everything invalid (section 2.4, 2.16).

Every character of any text belongs to a token, a comment, white space or a problem. Decisions depend on the text near a
token only, never on the whole text, so that a piece of a text can be read again by itself.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import BYTE_ORDER_MARK, Edit, Problem, Repair, Span, checkpoint
from snd_analysis.skriptnd.limits import MOST_DIGITS
from snd_analysis.skriptnd.syntax.table import table

# Reserved in the wild though no rule of the grammar uses it.
_RESERVED = {"as": "AS"}
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_SPACES = frozenset(" \t\r\n\f\v")

# Characters without a terminal in the grammar; tried where (or, for numbers, before) no terminal matches.
_MALFORMED = (
    r"(?P<MALFORMED>(?!(?>\d+(?:\.(?!\.)\d*)?(?:[eE][+-]?\d+)?)(?!\w))\d\w*(?:\.(?!\.)\w*)?(?:(?<=[eE])[+-]\w*)?"
    r"|(?<![\w.\])])\.\d\w*)"
)
_OTHER = r"(?P<WORD>[^\W\d]\w*)|(?P<QUOTE>[\"'])|(?P<BLOCK>@\w*)|(?P<OTHER>(?P<SAME>[^\s\w])(?P=SAME)*|[\s\S])"

# Text that may follow the closing quote of a string that runs over several lines. Anything else means that the quote
# belongs to another string, and that this one was never closed.
_BEHIND_STRING = re.compile(r"\s*(?:[;,:)\]}\"'?=!<>+|&#]|\.\.|in\b|is\b|$)")
# A brace that ends a definition can't be in a string: so a missing quote affects one definition only.
_NEVER_IN_STRING = re.compile(r"^\}[ \t]*\r?$", re.MULTILINE)
# Text between the last quote of a statement and the end of its line.
_BEHIND_LAST_STRING = re.compile(r"[ \t]*[;,)\]}][;,)\]} \t]*(?:#.*)?\Z")
_STATEMENT_END = re.compile(r"[;,)\]}\s]*$")
_BRACE = re.compile(r"(?<!\\)[{}]")
_LINE_END = re.compile(r"[\r\n]|\Z")


class Token(NamedTuple):
    """A terminal of the grammar at a span of the text."""

    kind: str
    start: int
    end: int
    instead: str | None = None
    """Text that recovery reads instead of the text of the token."""

    def spelling(self, text: str) -> str:
        """Return the text of the token."""
        return text[self.start : self.end] if self.instead is None else self.instead


def begins_line(text: str, token: Token) -> bool:
    """Return whether only blanks stand before a token on its line."""
    at = token.start - 1
    while at >= 0 and text[at] in " \t":
        at -= 1
    return at < 0 or text[at] in "\r\n"


def at_column_zero(text: str, token: Token) -> bool:
    """Return whether nothing at all stands before a token on its line."""
    return token.start == 0 or text[token.start - 1] in "\r\n"


def is_closed_string(text: str, token: Token) -> bool:
    """Return whether a string has its second quote."""
    return token.end - token.start > 1 and text[token.end - 1] == text[token.start]


class Tokens(Struct, frozen=True):
    """The tokens of a text, its comments, and problems of single tokens. Spans count from the start of the text."""

    tokens: tuple[Token, ...]
    comments: tuple[Span, ...]
    problems: tuple[Problem, ...]


@cache
def _pattern() -> re.Pattern[str]:
    before, number, after = table().token_pattern.partition("(?P<REAL>")
    return re.compile(f"[ \\t\\r\\n]*(?:{before}{_MALFORMED}|{number}{after}|{_OTHER})")


@cache
def keywords() -> dict[str, str]:
    """Return the words that cannot be names, with their terminals; type names are keywords too."""
    types = dict.fromkeys(("type", "arith", "num", "int", "real", "bool", "str"), "TYPE")
    return {**table().keywords, **_RESERVED, **types}


def is_identifier(word: str) -> bool:
    """Return whether a word can be the name of something: no keyword, and not a lone ``_``, which is reserved (2.4)."""
    return _IDENTIFIER.fullmatch(word) is not None and word != "_" and word not in keywords()


_CHARACTERS_AT_ONCE = 20_000
"""Characters that are read between two checkpoints: a few milliseconds of work."""

# Tokens that need further checks; all others are taken unchanged.
_LOOKED_AT = frozenset(
    (
        "SPACE", "ID", "COMMENT", "LBRACE", "RBRACE", "STRING", "QUOTE", "VERSION", "EXTENSION", "MALFORMED", "WORD",
        "BLOCK", "OTHER", "INT", "REAL",
    )
)  # fmt: skip


def tokenize(text: str, start: int = 0, end: int | None = None, stop: int | None = None, depth: int = 0) -> Tokens:
    """Return tokens of ``text[start:end]``; spans count from the start of ``text``. Never raises.

    With ``stop``, reading ends after the first token that reaches it. ``depth`` is the number of braces open at start.
    """
    # One function, although a long one: its loop runs for each token, where a call would double the cost.
    end = len(text) if end is None else end
    stop_at = end if stop is None else stop
    ascii_only = text.isascii()
    words = keywords()
    tokens: list[Token] = []
    comments: list[Span] = []
    problems: list[Problem] = []
    match, append, new = _pattern().match, tokens.append, tuple.__new__
    position = start + (start == 0 and text.startswith(BYTE_ORDER_MARK))
    pause = position
    while position < stop_at:
        if position >= pause:
            checkpoint()
            pause = position + _CHARACTERS_AT_ONCE
        found = match(text, position, end)
        assert found is not None  # OTHER matches any character
        kind = found.lastgroup or ""
        stop = found.end()
        position = found.start(kind)
        if kind not in _LOOKED_AT:
            append(new(Token, (kind, position, stop, None)))
            position = stop
            continue
        if kind == "SPACE":
            if not ascii_only:
                _check_space(text, position, stop, problems)
            position = stop
            continue
        if kind == "ID":
            word = text[position:stop]
            kind = words.get(word, "ID")
            if not (ascii_only or word.isascii()):
                problems.append(_no_name(word, Span(position, stop)))
        elif kind == "COMMENT":
            comments.append(Span(position, stop))
            position = stop
            continue
        elif kind == "LBRACE":
            depth += 1
        elif kind == "RBRACE":
            depth -= 1
        elif kind == "STRING":
            if "\n" in found.group(kind) or "\r" in found.group(kind):
                stop = _string_end(text, position, stop, end, problems)
                kind = "STRING" if stop > position + 1 else "ILLEGAL"
        elif kind == "QUOTE":
            stop = _unclosed(text, position, end, problems)
            kind = "STRING" if stop > position + 1 else "ILLEGAL"
        elif kind in ("VERSION", "EXTENSION") and depth > 0:
            kind = "ID"
        elif kind in ("MALFORMED", "WORD", "BLOCK", "OTHER"):
            kind = _wrong(found, problems)
        elif kind == "INT" or kind == "REAL":
            if not (ascii_only or found.group(kind).isascii()):
                problems.append(_malformed_number(found.group(kind), Span(position, stop)))
            elif kind == "INT" and stop - position > MOST_DIGITS:
                problems.append(
                    Problem(rules.MALFORMED_NUMBER, Span(position, stop), "this number has too many digits")
                )
        append(new(Token, (kind, position, stop, None)))
        position = stop
    return Tokens(tuple(tokens), tuple(comments), tuple(problems))


def _check_space(text: str, start: int, stop: int, problems: list[Problem]) -> None:
    for at in range(start, stop):
        character = text[at]
        if character not in _SPACES:
            repair = Repair("write a plain space", (Edit(Span(at, at + 1), " "),))
            message = (
                f"U+{ord(character):04X} can't stand here: it looks like a space, but SkriptND does not read it as one"
            )
            problems.append(Problem(rules.ILLEGAL_CHARACTER, Span(at, at + 1), message, repair=repair))


def _string_end(text: str, start: int, stop: int, end: int, problems: list[Problem]) -> int:
    """End of a string over several lines, or of its first line if the string was surely not meant to go on."""
    line_end = _LINE_END.search(text, stop).end()  # type: ignore[union-attr]
    rest = text[stop : min(line_end, end)]
    first_end = _LINE_END.search(text, start).start()  # type: ignore[union-attr]
    begins = _BEHIND_LAST_STRING.match(text, start + 1, min(first_end, end)) is None
    if begins and _NEVER_IN_STRING.search(text, start, stop) is None and _BEHIND_STRING.match(rest):
        return stop
    return _unclosed(text, start, end, problems)


def _unclosed(text: str, start: int, end: int, problems: list[Problem]) -> int:
    """Return the end of a string whose second quote is missing: before the brackets that close its surroundings."""
    line_end = min(_LINE_END.search(text, start).start(), end)  # type: ignore[union-attr]
    quote, other = text[start], "'" if text[start] == '"' else '"'
    if _BEHIND_LAST_STRING.match(text, start + 1, line_end):
        span = Span(start, start + 1)
        message = f"this {quote} closes no string: its first {quote} is missing"
        problems.append(Problem(rules.UNCLOSED_STRING, span, message))
        return start + 1
    brace = _stray_brace(text, start + 1, line_end)
    stop = max(start + len(_STATEMENT_END.sub("", text[start : line_end if brace is None else brace])), start + 1)
    if text[stop - 1] == other and stop - start > 1:
        message = f"this string begins with {quote} and ends with {other}"
        repair = Repair(f"write {quote}", (Edit(Span(stop - 1, stop), quote),), safe=False)
    else:
        message = f"this string is never closed: its second {quote} is missing"
        repair = Repair(f"insert {quote}", (Edit(Span(stop, stop), quote),), safe=False)
    problems.append(Problem(rules.UNCLOSED_STRING, Span(start, stop), message, repair=repair))
    return stop


def _stray_brace(text: str, start: int, end: int) -> int | None:
    """Return the first closing brace that closes nothing: it can't be part of a string."""
    depth = 0
    for brace in _BRACE.finditer(text, start, end):
        depth += 1 if brace.group() == "{" else -1
        if depth < 0:
            return brace.start()
    return None


def _wrong(found: re.Match[str], problems: list[Problem]) -> str:
    """Report a token that is not one, and say which terminal to go on with."""
    kind = found.lastgroup or ""
    word, span = found.group(kind), Span(*found.span(kind))
    match kind:
        case "MALFORMED":
            problems.append(_malformed_number(word, span))
            return "REAL" if "." in word or "e" in word.lower().replace("0x", "") else "INT"
        case "WORD":
            problems.append(_no_name(word, span))
            return "ID"
        case "BLOCK":
            return "B_UNKNOWN"
    name = "a NUL character" if word == "\0" else f"'{word}'" if word.isprintable() else f"U+{ord(word[0]):04X}"
    message = f"{name} can't stand here: SkriptND has no such symbol"
    if word == "&":
        message = f"{name} can't stand here: a conjunction is written '&&'"
    problems.append(Problem(rules.ILLEGAL_CHARACTER, span, message))
    return "ILLEGAL"


def _no_name(word: str, span: Span) -> Problem:
    message = f"'{word}' is not a name: names are made of ASCII letters, digits and '_'"
    return Problem(rules.ILLEGAL_CHARACTER, span, message)


def _malformed_number(word: str, span: Span) -> Problem:
    if word.startswith("."):
        repair = Repair(f"write 0{word}", (Edit(Span(span.start, span.start), "0"),))
        return Problem(rules.MALFORMED_NUMBER, span, f"a number can't begin with '.': write 0{word}", repair=repair)
    if word.lower().startswith("0x"):
        return Problem(rules.MALFORMED_NUMBER, span, f"'{word}' is not a number: only decimal digits can be used")
    exponent = re.fullmatch(r"[\d.]+[eE][+-]?", word)
    if exponent:
        return Problem(rules.MALFORMED_NUMBER, span, f"the exponent of '{word}' has no digits")
    return Problem(
        rules.MALFORMED_NUMBER, span, f"'{word}' is neither a number nor a name: names can't begin with a digit"
    )
