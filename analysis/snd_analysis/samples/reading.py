"""Samples in the comments of a chunk."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.samples.comment_lines import MARKER, SampleLines, code_of, sample_lines
from snd_analysis.samples.recorded import read_below, tolerance_of
from snd_analysis.samples.sample import TOLERANCE, Sample
from snd_analysis.samples.single_expression import read_single
from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.chunks import Chunk
from snd_analysis.syntax.problem import Problem
from snd_analysis.syntax.tokens import tokenize

_PROMPT = ">>>"


def samples_of(chunk: Chunk) -> tuple[Sample, ...]:
    """The samples of a chunk, in order."""
    if _PROMPT not in chunk.text:  # spares most chunks the work
        return ()
    return tuple(_read(chunk.text, lines) for lines in sample_lines(chunk.text, chunk.comments))


def _read(text: str, lines: SampleLines) -> Sample:
    first, last = lines.code[0], lines.code[-1]
    mark = MARKER.match(text, first.start, first.end)
    assert mark is not None
    marker = Span(first.start, mark.end())
    code = code_of(text, lines)
    problems: list[Problem] = []
    invocation = _invocation(code, marker, last.end, problems)
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
        results=tuple(below.results),
        error=below.error,
        tolerance=TOLERANCE if tolerance is None else tolerance,
        problems=tuple(problems),
    )


def _invocation(code: str, marker: Span, end: int, problems: list[Problem]) -> nodes.Call | None:
    if not code[marker.end : end].strip():
        message = "an invocation is missing here, as in '# >>> relu([-1.0, 2.0])'"
        problems.append(Problem("sample-syntax", marker, message))
        return None
    expression = read_single(code, marker.end, end, problems)
    if expression is None or isinstance(expression, nodes.Call):
        return expression
    message = "a sample invokes an operator or a graph, as in '# >>> relu([-1.0, 2.0])'"
    problems.append(Problem("sample-syntax", expression.span, message))
    return None


def _tolerances(code: str, start: int, end: int) -> Iterator[float]:
    """Those in comments behind the code."""
    for comment in tokenize(code, start, end).comments if "#" in code[start:end] else ():
        found = tolerance_of(code, comment)
        if found is not None:
            yield found
