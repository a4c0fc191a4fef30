"""String literals: escapes and embedded expressions (2.4, String formatting)."""

from __future__ import annotations

from collections.abc import Callable

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Span, checkpoint
from snd_analysis.skriptnd.limits import MOST_STRING_PARTS
from snd_analysis.skriptnd.syntax import nodes

_ESCAPES = {"{": "{", "}": "}", "'": "'", '"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}

ReadExpression = Callable[[int, int], nodes.Expression]
"""Function that reads the expression in a span of the text; on errors it reports them and returns an error node."""


def string_parts(
    text: str, start: int, end: int, base: int, problems: list[Problem], read: ReadExpression
) -> list[nodes.Text | nodes.Field]:
    """Return the parts of the literal ``text[start:end]``, which begins with a quote and may lack the second one."""
    quote = text[start]
    last = end - 1 if end - start > 1 and text[end - 1] == quote else end
    parts: list[nodes.Text | nodes.Field] = []
    run: list[str] = []
    run_start = at = start + 1

    def flush(stop: int) -> None:
        if run:
            parts.append(nodes.Text(run_start - base, stop - base, "".join(run)))
            run.clear()

    while at < last:
        character = text[at]
        if character == "\\" and at + 1 < last:
            run.append(_escape(text, at, problems))
            at += 2
        elif character == "{":
            flush(at)
            close = _closing_brace(text, at, last)
            if close is None:
                message = "this '{' begins an expression that is never closed: write '}' after it, or '\\{' for a brace"
                problems.append(Problem(rules.MALFORMED_FORMAT, Span(at, at + 1), message))
                return parts
            checkpoint()
            if len(parts) > MOST_STRING_PARTS:
                message = f"this text has more than the {MOST_STRING_PARTS:,} expressions and parts that snd can handle"
                problems.append(Problem(rules.VALUE_TOO_LARGE, Span(at, close + 1), message))
                return parts
            parts.append(_field(text, at, close, base, problems, read))
            at = run_start = close + 1
        elif character == "}":
            repair = Repair("write '\\}'", (Edit(Span(at, at + 1), "\\}"),))
            message = "this '}' closes nothing: write '\\}' for a brace"
            problems.append(Problem(rules.MALFORMED_FORMAT, Span(at, at + 1), message, repair=repair))
            run.append(character)
            at += 1
        else:
            run.append(character)
            at += 1
    flush(last)
    return parts


def _escape(text: str, at: int, problems: list[Problem]) -> str:
    escaped = text[at + 1]
    if escaped in _ESCAPES:
        return _ESCAPES[escaped]
    repair = Repair("write '\\\\'", (Edit(Span(at, at + 1), "\\\\"),))
    shown = escaped if escaped.isprintable() else "…"
    message = f"'\\{shown}' is not an escape and stays as it is; escapes are \\{{ \\}} \\' \\\" \\\\ \\n \\t"
    problems.append(Problem(rules.INVALID_ESCAPE, Span(at, at + 2), message, repair=repair))
    return "\\" + escaped


def _closing_brace(text: str, start: int, end: int) -> int | None:
    open_brackets = ["}"]
    quote: str | None = None
    for at in range(start + 1, end):
        character = text[at]
        if quote is not None:
            quote = None if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _CLOSERS:
            open_brackets.append(_CLOSERS[character])
        elif character in ")]}":
            while open_brackets and open_brackets[-1] != character and open_brackets[-1] != "}":
                open_brackets.pop()
            if open_brackets[-1] == character:
                open_brackets.pop()
            if not open_brackets:
                return at
    return None


def _field(text: str, start: int, close: int, base: int, problems: list[Problem], read: ReadExpression) -> nodes.Field:
    inner = text[start + 1 : close]
    if inner.strip():
        value = read(start + 1, close)
    else:
        problems.append(
            Problem(rules.MALFORMED_FORMAT, Span(start, close + 1), "there is no expression between '{' and '}'")
        )
        value = nodes.ErrorExpression(start + 1 - base, close - base)
    return nodes.Field(start - base, close + 1 - base, value)
