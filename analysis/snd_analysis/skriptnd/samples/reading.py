"""Samples in the comments of a chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.samples.recorded import read_below, read_single, tolerance_of
from snd_analysis.skriptnd.samples.sample import TOLERANCE, Sample
from snd_analysis.skriptnd.syntax import Chunk, nodes, tokenize

# ---- comments on lines of their own, and the comments that form samples ----------------------------------------------
MARKER = re.compile(r"#[ \t]*>>>(?!>)")
CONTINUATION = re.compile(r"#[ \t]*\.\.\.(?!\.)")
_BETWEEN_LINES = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*")
_NO_BREAK = re.compile(r"[^\r\n]")


class SampleLines(Struct, frozen=True):
    """The comment lines of a sample: its code, and the lines directly below."""

    code: tuple[Span, ...]
    below: tuple[Span, ...]
    """All further lines of the same comment, up to the next sample."""

    @property
    def span(self) -> Span:
        """Range from the first line to the end of the last line."""
        return Span(self.code[0].start, (*self.code, *self.below)[-1].end)

    def shifted(self, distance: int) -> SampleLines:
        """Return the same lines elsewhere."""
        code, below = (tuple(span.shifted(distance) for span in lines) for lines in (self.code, self.below))
        return SampleLines(code, below)


def sample_lines(text: str, comments: Sequence[Span]) -> Iterator[SampleLines]:
    """Yield the samples in the comments of a text."""
    for block in _blocks(text, comments):
        starts = [at for at, line in enumerate(block) if MARKER.match(text, line.start, line.end)]
        for start, end in pairwise([*starts, len(block)]):
            code = start + 1
            while code < end and CONTINUATION.match(text, block[code].start, block[code].end):
                code += 1
            yield SampleLines(tuple(block[start:code]), tuple(block[code:end]))


def _blocks(text: str, comments: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield comments on lines of their own that follow one another directly."""
    block: list[Span] = []
    for comment in comments:
        if not _is_alone(text, comment):
            continue
        if block and _BETWEEN_LINES.fullmatch(text, block[-1].end, comment.start) is None:
            yield block
            block = []
        block.append(comment)
    if block:
        yield block


def _is_alone(text: str, comment: Span) -> bool:
    before = comment.start
    while before and text[before - 1] in " \t":
        before -= 1
    return before == 0 or text[before - 1] in "\r\n\ufeff"


def code_of(text: str, lines: SampleLines) -> str:
    """Return the code of a sample at its place: a text as long as it needs to be, in which all else is blank."""
    parts = []
    position = 0
    blank = _blank(text)
    for line in lines.code:
        mark = MARKER.match(text, line.start, line.end) or CONTINUATION.match(text, line.start, line.end)
        assert mark is not None
        parts += [blank[position : mark.end()], text[mark.end() : line.end]]
        position = line.end
    return "".join(parts)


@lru_cache(maxsize=1)  # the samples of a chunk are read one after the other
def _blank(text: str) -> str:
    return _NO_BREAK.sub(" ", text)


# ---- invocations whose attributes stand beside their arguments: ``f(x, alpha = 0.1)``, as in NNEF 1.0 ----------------
class _Argument(Struct, frozen=True):
    """An argument from its first token to the comma or bracket behind it."""

    span: Span
    name: Span | None
    value: int
    """Offset of the start of its value."""


def read_with_named_arguments(text: str, start: int, end: int, problems: list[Problem]) -> nodes.Expression | None:
    """Return the expression that ``text[start:end]`` spells; named arguments of an invocation are its attributes.

    None, and one more problem, if it is none.
    """
    arguments = [*_arguments(text, start, end)]
    named = [each for each in arguments if each.name is not None]
    rest = text
    for at, each in enumerate(arguments):
        if each.name is not None:  # with one of the commas around
            first = arguments[at - 1].span.end if at else each.span.start
            last = arguments[1].span.start if at == 0 and len(arguments) > 1 else each.span.end
            rest = f"{rest[:first]}{_blanked(rest[first:last])}{rest[last:]}"
    found = read_single(rest, start, end, problems)
    if not isinstance(found, nodes.Call) or not named:
        return found
    attributes = [] if found.attributes is None else [*found.attributes.items]
    for each in named:
        assert each.name is not None
        value = read_single(text, each.value, each.span.end, problems)
        if value is None:
            return None
        name = nodes.Name(each.name.start, each.name.end, text[each.name.start : each.name.end])
        attributes.append(nodes.Attribute(each.name.start, each.span.end, name, value, False))
    span = Span(attributes[0].start, attributes[-1].end)
    return replace(found, attributes=nodes.Attributes(span.start, span.end, tuple(attributes)))


def _arguments(text: str, start: int, end: int) -> Iterator[_Argument]:
    """Yield the arguments of the invocation that a text begins with."""
    tokens = [(each, each.spelling(text)) for each in tokenize(text, start, end).tokens]
    depth, first = 0, None
    is_open = False
    for at, (_, spelled) in enumerate(tokens):
        if is_open and depth == 1 and spelled in (",", ")") and first is not None:
            (begin, name), following = tokens[first], tokens[first + 1 : at]
            is_named = name.isidentifier() and len(following) > 1 and following[0][1] == "="
            yield _Argument(
                Span(begin.start, tokens[at - 1][0].end),
                Span(begin.start, begin.end) if is_named else None,
                following[1][0].start if is_named else begin.start,
            )
            first = None
        elif is_open and depth == 1 and first is None:
            first = at
        if spelled in ("(", "[", "{"):
            is_open = is_open or (spelled == "(" and depth == 0)
            depth += 1
        elif spelled in (")", "]", "}"):
            depth -= 1
            if is_open and depth == 0:
                return


def _blanked(text: str) -> str:
    return "".join(each if each in "\r\n" else " " for each in text)


# ---- samples in the comments of a chunk ------------------------------------------------------------------------------
_PROMPT = ">>>"


SampleText: TypeAlias = "tuple[SampleLines, str]"
"""A sample from its start to the end of its last line, and its lines, which determine its contents."""


class ReadSample(Struct, frozen=True, eq=False):
    """A sample at its place in a chunk."""

    start: int
    text: SampleText
    sample: Sample


def samples_of(
    chunk: Chunk, before: MutableMapping[SampleText, list[Sample]], named_arguments: bool = False
) -> tuple[ReadSample, ...]:
    """Return the samples of a chunk, in order. With ``named_arguments`` attributes may stand beside arguments.

    Samples read ``before`` are the same objects.
    """
    if "#" not in chunk.text or _PROMPT not in chunk.text:  # spares most the work; one sign is found soon
        return ()
    found = []
    for lines in sample_lines(chunk.text, chunk.comments):
        span = lines.span
        text = lines.shifted(-span.start), chunk.text[span.start : span.end]
        known = before.get(text)
        found.append(ReadSample(span.start, text, known.pop() if known else _read(text[1], text[0], named_arguments)))
    return tuple(found)


def _read(text: str, lines: SampleLines, named_arguments: bool) -> Sample:
    first, last = lines.code[0], lines.code[-1]
    mark = MARKER.match(text, first.start, first.end)
    assert mark is not None
    marker = Span(first.start, mark.end())
    code = code_of(text, lines)
    problems: list[Problem] = []
    invocation = _invocation(code, marker, last.end, problems, named_arguments)
    below = read_below(text, lines.below)
    if invocation is not None:
        problems += below.problems
    own = next(_tolerances(code, marker.end, last.end), None)
    tolerance = below.tolerance if below.tolerance is not None else own
    return Sample(
        span=Span(first.start, last.end if below.end is None else below.end),
        marker=marker,
        code_end=last.end,
        invocation=invocation,
        code=code,
        results=tuple(below.results),
        error=below.error,
        tolerance=TOLERANCE if tolerance is None else tolerance,
        problems=tuple(problems),
    )


def _invocation(code: str, marker: Span, end: int, problems: list[Problem], named_arguments: bool) -> nodes.Call | None:
    if not code[marker.end : end].strip():
        message = "write an invocation here, as in '# >>> relu([-1.0, 2.0])'"
        problems.append(Problem(rules.SAMPLE_SYNTAX, marker, message))
        return None
    return read_invocation(code, marker.end, end, problems, named_arguments)


def read_invocation(
    code: str, start: int, end: int, problems: list[Problem], named_arguments: bool
) -> nodes.Call | None:
    """Return the invocation that ``code[start:end]`` spells; None, and one more problem, if it is none.

    With ``named_arguments`` attributes may stand beside arguments, as in NNEF 1.0: ``f(x, alpha = 0.1)``.
    """
    read = read_with_named_arguments if named_arguments else read_single
    expression = read(code, start, end, problems)
    if expression is None or isinstance(expression, nodes.Call):
        return expression
    message = "a sample invokes an operator or a graph, as in '# >>> relu([-1.0, 2.0])'"
    problems.append(Problem(rules.SAMPLE_SYNTAX, expression.span, message))
    return None


def _tolerances(code: str, start: int, end: int) -> Iterator[float]:
    """Yield the tolerances in comments after the code."""
    for comment in tokenize(code, start, end).comments if "#" in code[start:end] else ():
        found = tolerance_of(code, comment)
        if found is not None:
            yield found
