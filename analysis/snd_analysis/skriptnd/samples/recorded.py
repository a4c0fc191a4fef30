"""The lines below an invocation: results, an expected error, a tolerance."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.limits import DEEPEST_EXPRESSION
from snd_analysis.skriptnd.samples.sample import (
    ItemExtent,
    NestedRows,
    RaggedError,
    Recorded,
    RecordedError,
    value_of_rows,
)
from snd_analysis.skriptnd.syntax import Automaton, Token, TreeBuilder, nodes, read_expression, tokenize


# ---- one whole expression that stands somewhere in a text ------------------------------------------------------------
def read_single(text: str, start: int, end: int, problems: list[Problem]) -> nodes.Expression | None:
    """Return the expression that ``text[start:end]`` spells; None, and one more problem, if it is none."""
    tokens = tokenize(text, start, end)
    builder = TreeBuilder(text, read_expression)
    automaton = Automaton(text, tokens.tokens, "_expr", builder, end=end)
    accepted = automaton.advance()
    found = [*tokens.problems, *builder.problems]
    if found:
        problems.append(found[0])
        return None
    if not accepted:
        problems.append(_fault(text, automaton, start, end))
        return None
    value = automaton.stacks.values[-1]
    expression: nodes.Expression = value[0] if isinstance(value, list) else value
    deep = nodes.first_below(expression, DEEPEST_EXPRESSION)
    if deep is not None:
        problems.append(Problem(rules.NESTING_TOO_DEEP, deep.span, "this nests too deeply: split it up"))
        return None
    return expression


def _fault(text: str, automaton: Automaton, start: int, end: int) -> Problem:
    if automaton.too_deep:
        return Problem(rules.NESTING_TOO_DEEP, Span(start, end), rules.syntax.TOO_DEEP)
    token = automaton.token()
    if token.end > token.start:
        message = f"expected one expression, found '{token.spelling(text)}' in or after it"
        return Problem(rules.SAMPLE_SYNTAX, Span(token.start, token.end), message)
    last: Token | None = automaton.tokens[-1] if automaton.tokens else None
    if last is None:
        return Problem(rules.SAMPLE_SYNTAX, Span(start, end), "an expression is missing here")
    return Problem(rules.SAMPLE_SYNTAX, Span(last.start, last.end), "the expression ends too early after this")


# ---- the lines below an invocation -----------------------------------------------------------------------------------
_RESULT = re.compile(
    r"#[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*:[ \t]*"
    r"(?P<type>(?P<dtype>int|real|bool|str)\b(?:[ \t]*\[(?P<shape>(?:[^\[\]]|\[[^\[\]]*\])*)\])?"
    r"(?:[ \t]*\.\.[ \t]*\([ \t]*(?P<length>\d+)[ \t]*\))?|null\b)[ \t]*(?P<rest>[^\r\n]*)"
)
_NEARLY = re.compile(r"#[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*(?::[ \t]*(?:int|real|bool|str|type|num|arith)\b|=)")
_ERROR = re.compile(r"#[ \t]*error:[ \t]*(?P<text>.*?)[ \t]*")
_TOLERANCE = re.compile(r"#[ \t]*~[ \t]*(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)[ \t]*")
_BEHIND_VALUE = re.compile(r"[ \t](?P<comment>#[ \t]*~[^\r\n]*)")
_EXTENT = re.compile(r"[ \t]*(?:(?P<number>\d+)|\.\.[ \t]*\[(?P<each>[\d, \t]*)\])[ \t]*(?:,|$)")
_WRITE = "write a result as in '# y: real[2] = [1.0, 2.0]'"


class Below(Struct):
    """The recorded results below an invocation."""

    results: list[Recorded] = field(default_factory=list)
    error: RecordedError | None = None
    tolerance: float | None = None
    problems: list[Problem] = field(default_factory=list)
    end: int | None = None
    """Offset of the end of the last of these lines."""


def read_below(text: str, lines: Iterable[Span]) -> Below:
    """Read lines as long as they belong to the sample; the first that is anything else ends it."""
    below = Below()
    for line in lines:
        if not _read_line(text, line, below):
            break
        below.end = line.end
    return below


def tolerance_of(text: str, comment: Span) -> float | None:
    """Return the number in ``# ~1e-3``; None for another comment."""
    found = _TOLERANCE.fullmatch(text, comment.start, comment.end)
    return None if found is None else float(found["number"])


def _read_line(text: str, line: Span, below: Below) -> bool:
    tolerance = tolerance_of(text, line)
    if tolerance is not None:
        below.tolerance = tolerance
        return True
    error = _ERROR.fullmatch(text, line.start, line.end)
    if error is not None:
        if below.error is not None or not error["text"]:
            message = (
                "a sample has at most one expected error, with a message, as in '# error: stride must be positive'"
            )
            below.problems.append(Problem(rules.SAMPLE_SYNTAX, line, message))
        else:
            below.error = RecordedError(line, error["text"])
        return True
    result = _RESULT.fullmatch(text, line.start, line.end)
    if result is not None:
        recorded = _recorded(text, line, result, below.problems)
        if recorded is not None:
            below.results.append(recorded)
        return True
    nearly = _NEARLY.match(text, line.start, line.end)
    if nearly is not None:
        message = f"this is not a result of a sample: {_WRITE}"
        below.problems.append(Problem(rules.SAMPLE_SYNTAX, Span(line.start, line.end), message))
        return True
    return False


def _recorded(text: str, line: Span, result: re.Match[str], problems: list[Problem]) -> Recorded | None:
    name_span, type_span = Span(*result.span("name")), Span(*result.span("type"))
    shape = _shape(result["shape"] or "")
    if shape is None:
        message = f"the shape of a result consists of numbers, or of '..[2, 3]' for an extent of each tensor: {_WRITE}"
        problems.append(Problem(rules.SAMPLE_SYNTAX, Span(*result.span("shape")), message))
        return None
    length = None if result["length"] is None else int(result["length"])
    start, end = result.span("rest")
    comment = _BEHIND_VALUE.search(text, start - 1, end)
    tolerance = None if comment is None else tolerance_of(text, Span(*comment.span("comment")))
    if comment is not None and tolerance is not None:
        end = comment.start()
    rest = text[start:end].strip(" \t")
    value: NestedRows | None = None
    summary: str | None = None
    if rest.startswith("="):
        value = _value(text, text.index("=", start) + 1, end, problems)
        if value is None:
            return None
    elif rest.startswith("n="):
        summary = rest
    elif rest:
        problems.append(Problem(rules.SAMPLE_SYNTAX, Span(start, end), f"'=' or a summary is missing here: {_WRITE}"))
        return None
    return Recorded(
        line, result["name"], name_span, type_span, result["dtype"], shape, length, value, summary, tolerance
    )


def _value(text: str, start: int, end: int, problems: list[Problem]) -> NestedRows | None:
    expression = read_single(text, start, end, problems)
    if expression is None:
        return None
    try:
        return value_of_rows(expression)
    except RaggedError as ragged:
        problems.append(Problem(ragged.rule, ragged.node.span, ragged.message, ragged.notes))
        return None


def _shape(text: str) -> tuple[ItemExtent, ...] | None:
    extents: list[ItemExtent] = []
    position = 0
    while text[position:].strip():
        found = _EXTENT.match(text, position)
        if found is None:
            return None
        if found["number"] is not None:
            extents.append(int(found["number"]))
        else:
            extents.append(tuple(int(each) for each in found["each"].split(",") if each.strip()))
        position = found.end()
    return tuple(extents)
