"""Fixtures that say which diagnostics they expect, in comments below the lines they are about.

    y = sqt(x);
    #   ^^^ error[undefined-name]: did you mean 'sqrt'

Carets mark the span on the line above. Where carets can't (a span in the first column, one over several lines, an
empty one) the comment says its first column and its length: ``# 1+0 error[…]: …``. The text after the colon is part
of the message, and may be left out. ``note`` in place of ``error[…]`` announces a related place of a diagnostic; the
related places count only in a program that announces one. Annotations are taken out before the file is checked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from snd_analysis.base import Diagnostic, Span
from support.memory import check, split_files

_ANNOTATION = re.compile(
    r"(?P<lead>[ \t]*#[ \t]*)(?:(?P<carets>\^+)|(?P<column>\d+)\+(?P<length>\d+))[ \t]+"
    r"(?:(?P<severity>error|warning|info|hint)\[(?P<rule>[\w-]+)\]|note)(?::[ \t]*(?P<text>.*?))?[ \t]*"
)

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NOTE = "note"


@dataclass(frozen=True)
class Remark:
    """A diagnostic, or a related place of one (severity ``note``, no rule), at its place in the text."""

    span: Span
    severity: str
    rule: str
    text: str

    def announces(self, found: Remark) -> bool:
        """Return whether a remark that was found is this one, whose text may be a part of the message."""
        place = (found.span, found.severity, found.rule)
        return place == (self.span, self.severity, self.rule) and self.text in found.text


def parse_annotations(annotated: str) -> tuple[str, list[Remark]]:
    """Return the text without its annotations, and the remarks that they expect."""
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
        expected.append(Remark(span, match["severity"] or _NOTE, match["rule"] or "", match["text"] or ""))
    return "".join(code), expected


def is_annotation(line: str) -> bool:
    """Return whether a line announces a diagnostic."""
    return _ANNOTATION.fullmatch(line.rstrip("\r\n")) is not None


def remarks(found: Mapping[str, Sequence[Diagnostic]]) -> dict[str, list[Remark]]:
    """Return the diagnostics of each file, and the related places that lie in it."""
    said = {
        path: [Remark(item.location.span, str(item.severity), item.rule.name, item.message) for item in items]
        for path, items in found.items()
    }
    for related in (each for items in found.values() for item in items for each in item.related):
        if related.location.path in said:
            said[related.location.path].append(Remark(related.location.span, _NOTE, "", related.message))
    return said


def as_found(annotated: str, optional: Collection[str] = ()) -> str | None:
    """Return an annotated program with the annotations that it should have; None if it has them.

    Lines ``# file: NAME`` divide the program into files (``split_files``). Notes, and the severities in ``optional``,
    count only if the program announces one.
    """
    parsed = {name: parse_annotations(text) for name, text in split_files(annotated).items()}
    announced = {each.severity for _, expected in parsed.values() for each in expected}
    ignored = {*optional, _NOTE} - announced
    found = {
        name: [each for each in said if each.severity not in ignored]
        for name, said in remarks(check({name: text for name, (text, _) in parsed.items()})).items()
    }
    if all(one_to_one(found[name], expected) for name, (_, expected) in parsed.items()):
        return None
    return "".join(
        ("" if at == 0 and not annotated.startswith("# file:") else f"# file: {name}\n")
        + annotate(text, found[name], expected)
        for at, (name, (text, expected)) in enumerate(parsed.items())
    )


def one_to_one(found: Sequence[Remark], expected: Sequence[Remark]) -> bool:
    """Return whether everything that was found is announced, and nothing else."""
    left = list(expected)
    for item in found:
        match = next((each for each in left if each.announces(item)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def annotate(text: str, found: Sequence[Remark], before: Sequence[Remark] = ()) -> str:
    """Return the text with an annotation for each remark; valid wordings of those in ``before`` are kept."""
    lines = _LINE.findall(text) or [""]
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line))
    below: list[list[str]] = [[] for _ in lines]
    for item in found:
        known = next((expected.text for expected in before if expected.announces(item)), item.text)
        at = bisect_right(starts, item.span.start) - 1
        below[at].append(_annotation(lines[at], starts[at], item, known))
    parts = []
    for line, comments in zip(lines, below, strict=True):
        parts.append(line if line.endswith("\n") or not comments or not line else line + "\n")
        parts.extend(comments)
    return "".join(parts)


def _annotation(line: str, start: int, item: Remark, text: str) -> str:
    column, length = item.span.start - start, item.span.end - item.span.start
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if column >= 1 and length >= 1 and column + length <= len(line.rstrip("\r\n")):
        lead = f"{indent}#" if len(indent) < column else "#"
        place = lead.ljust(column) + "^" * length
    else:
        place = f"{indent}# {column + 1}+{length}"
    kind = f"{item.severity}[{item.rule}]" if item.rule else item.severity
    return f"{place} {kind}" + (f": {text}\n" if text else "\n")
