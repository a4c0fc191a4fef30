"""Edits that replace the recorded results of a sample by its outcome."""

from __future__ import annotations

import re

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.samples import Recorded
from snd_analysis.workspace import PlacedSample
from snd_runtime.samples.outcome import SampleOutcome, SampleResult, Status

_TOLERANCE = re.compile(r"[ \t]*#[ \t]*~[ \t]*\S+[ \t]*$")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def update_edits(text: str, placed: PlacedSample, outcome: SampleOutcome) -> tuple[Edit, ...]:
    """Return the edits of the text of a file after which the sample agrees with its outcome; none if it does already.

    Lines that agree stay unchanged, and line breaks are those of the file. A failure replaces only an expected failure:
    an unexpected one must be examined before it is recorded.
    """
    lines = _new_lines(text, placed, outcome)
    if lines is None:
        return ()
    sample, start = placed.sample, placed.start
    spans = [each.line for each in sample.results] + ([sample.error.line] if sample.error is not None else [])
    old = sorted(span.shifted(start) for span in spans)
    line_break = _line_break(text, start + sample.code_end)
    indent = line_break + _indent(text, sample.marker.start + start)
    if not old:
        at = start + sample.code_end
        return (Edit(Span(at, at), "".join(indent + line for line in lines)),)
    first, *others = old
    edits = [Edit(first, indent.join(lines))]
    edits += [Edit(Span(_end_of_line_before(text, span.start), span.end), "") for span in others]
    return tuple(edits)


def _new_lines(text: str, placed: PlacedSample, outcome: SampleOutcome) -> list[str] | None:
    """Return the lines from their ``#`` on; None if the present lines can stay."""
    sample = placed.sample
    hash_sign = re.match(r"#[ \t]*", text[placed.start + sample.marker.start :])
    prefix = "# " if hash_sign is None else hash_sign[0]
    if outcome.status is Status.DIFFERS and outcome.message is not None:
        return [f"{prefix}error: {' '.join(outcome.message.split())}"]
    if outcome.status not in (Status.DIFFERS, Status.UNRECORDED):
        return None
    recorded = {each.name: each for each in sample.results}
    return [_line(text, placed.start, prefix, result, recorded.get(result.name)) for result in outcome.results]


def _line(text: str, start: int, prefix: str, result: SampleResult, recorded: Recorded | None) -> str:
    if recorded is not None and result.difference is None:
        span = recorded.line.shifted(start)
        return text[span.start : span.end]
    return f"{prefix}{result.now}{'' if recorded is None else _tolerance(text, recorded.line.shifted(start))}"


def _tolerance(text: str, line: Span) -> str:
    """Return the text of the tolerance after a result."""
    found = _TOLERANCE.search(text, line.start, line.end)
    return "" if found is None else found[0]


def _line_break(text: str, at: int) -> str:
    """Return the line break after a line; of the last line, the one before it."""
    found = _LINE_BREAK.match(text, at)
    if found is None:
        breaks = _LINE_BREAK.findall(text[:at])
        return breaks[-1] if breaks else "\n"
    return found[0]


def _indent(text: str, at: int) -> str:
    """Return the text before the ``#`` at ``at`` on its line: blanks, without a byte order mark."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return text[start:at].lstrip("\ufeff")


def _end_of_line_before(text: str, at: int) -> int:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at))
    return start - 1 if text[max(start - 1, 0) : start + 1] == "\r\n" else start
