"""Samples in the comments of a chunk."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TypeAlias

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.samples.comment_lines import MARKER, SampleLines, code_of, sample_lines
from snd_analysis.skriptnd.samples.named_arguments import read_with_named_arguments
from snd_analysis.skriptnd.samples.recorded import read_below, tolerance_of
from snd_analysis.skriptnd.samples.sample import TOLERANCE, Sample
from snd_analysis.skriptnd.samples.single_expression import read_single
from snd_analysis.skriptnd.syntax import Chunk, nodes, tokenize

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
