"""Fixtures that say which diagnostics they expect, in comments below the lines they are about.

    y = sqt(x);
    #   ^^^ error[undefined-name]: did you mean 'sqrt'

Carets mark the span on the line above. Where carets can't (a span in the first column, one over several lines, an
empty one) the comment says its first column and its length: ``# 1+0 error[…]: …``. The text behind the colon is part
of the message, and may be left out. Annotations are taken out before the file is checked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from snd_analysis.base.diagnostics import Diagnostic, Severity
from snd_analysis.base.text import Span
from support.memory import check, split_files

_ANNOTATION = re.compile(
    r"(?P<lead>[ \t]*#[ \t]*)(?:(?P<carets>\^+)|(?P<column>\d+)\+(?P<length>\d+))[ \t]+"
    r"(?P<severity>error|warning|info|hint)\[(?P<rule>[\w-]+)\](?::[ \t]*(?P<text>.*?))?[ \t]*"
)

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Expected:
    """One diagnostic that a fixture announces, at its place in the text without annotations."""

    span: Span
    severity: str
    rule: str
    text: str

    def matches(self, found: Diagnostic) -> bool:
        """Whether this announces that diagnostic."""
        place = (found.location.span, str(found.severity), found.rule)
        return place == (self.span, self.severity, self.rule) and self.text in found.message


def parse_annotations(annotated: str) -> tuple[str, list[Expected]]:
    """The text without its annotations, and what they expect of it."""
    code: list[str] = []
    expected = []
    start = 0  # of the last line of code
    for line in _LINE.findall(annotated):
        match = _ANNOTATION.fullmatch(line.rstrip("\r\n"))
        if match is None:
            start += len(code[-1]) if code else 0
            code.append(line)
            continue
        column = len(match["lead"]) if match["carets"] else int(match["column"]) - 1
        length = len(match["carets"] or "") or int(match["length"] or 0)
        span = Span(start + column, start + column + length)
        expected.append(Expected(span, match["severity"], match["rule"], match["text"] or ""))
    return "".join(code), expected


def is_annotation(line: str) -> bool:
    """Return whether a line announces a diagnostic."""
    return _ANNOTATION.fullmatch(line.rstrip("\r\n")) is not None


def as_found(annotated: str, hints: bool = True) -> str | None:
    """Return an annotated program with the annotations that it should have; None if it has them.

    Lines ``# file: NAME`` divide the program into files (``split_files``). With ``hints=False``, hints count only if
    the program announces one.
    """
    parsed = {name: parse_annotations(text) for name, text in split_files(annotated).items()}
    found = check({name: text for name, (text, _) in parsed.items()})
    if not hints and not any(each.severity == "hint" for _, expected in parsed.values() for each in expected):
        found = {name: [item for item in items if item.severity is not Severity.HINT] for name, items in found.items()}
    if all(one_to_one(found[name], expected) for name, (_, expected) in parsed.items()):
        return None
    return "".join(
        ("" if at == 0 and not annotated.startswith("# file:") else f"# file: {name}\n")
        + annotate(text, found[name], expected)
        for at, (name, (text, expected)) in enumerate(parsed.items())
    )


def one_to_one(found: Sequence[Diagnostic], expected: Sequence[Expected]) -> bool:
    """Return whether each diagnostic is announced, and nothing else."""
    left = list(expected)
    for item in found:
        match = next((each for each in left if each.matches(item)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def annotate(text: str, found: Sequence[Diagnostic], before: Sequence[Expected] = ()) -> str:
    """The text with an annotation for each diagnostic; the wording of those in ``before`` that are right is kept."""
    lines = _LINE.findall(text) or [""]
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line))
    below: list[list[str]] = [[] for _ in lines]
    for item in found:
        known = next((expected.text for expected in before if expected.matches(item)), item.message)
        at = bisect_right(starts, item.location.span.start) - 1
        below[at].append(_annotation(lines[at], starts[at], item, known))
    parts = []
    for line, comments in zip(lines, below, strict=True):
        parts.append(line if line.endswith("\n") or not comments or not line else line + "\n")
        parts.extend(comments)
    return "".join(parts)


def _annotation(line: str, start: int, item: Diagnostic, text: str) -> str:
    span = item.location.span
    column, length = span.start - start, span.end - span.start
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if column >= 1 and length >= 1 and column + length <= len(line.rstrip("\r\n")):
        lead = f"{indent}#" if len(indent) < column else "#"
        place = lead.ljust(column) + "^" * length
    else:
        place = f"{indent}# {column + 1}+{length}"
    return f"{place} {item.severity}[{item.rule}]" + (f": {text}\n" if text else "\n")
