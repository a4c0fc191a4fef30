"""Comments that suppress diagnostics: their positions, their rules, and the lines they cover."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from msgspec import Struct, field

from snd_analysis.base import Diagnostic, Fix, Location, Rule, Source, Span, TextEdit
from snd_analysis.skriptnd.samples import MARKER

_SUPPRESSION = re.compile(r"#\s*snd:\s*(?P<kind>ignore-file|ignore)(?![\w-])(?:\s*(?P<list>\[(?P<rules>[^\]]*)\]))?")
_SAMPLE_GOES_ON = re.compile(r"#(?!\s*(?:>>>(?!>)|snd:|$))")
_NAME = re.compile(r"[^\s,]+")


class Suppression(Struct, frozen=True):
    """A comment that suppresses diagnostics."""

    comment: Span
    directive: Span
    """The part up to the closing bracket."""
    names: tuple[Span, ...]
    """The places of the names of rules; empty if the comment suppresses all rules."""
    rules: tuple[str, ...]
    lines: range | None
    """The lines that the comment covers; None for the whole file."""
    is_alone: bool
    """True if nothing else stands on the line of the comment."""
    is_effective: bool = True
    """False for ``ignore-file`` below the first line of code."""
    used: set[str] = field(default_factory=set)
    """The names of the rules that the comment has suppressed so far."""

    @property
    def is_blanket(self) -> bool:
        """Return whether the comment suppresses all rules."""
        return not self.names

    def covers(self, line: int) -> bool:
        """Return whether diagnostics that start on a line are suppressed."""
        return self.is_effective and (self.lines is None or line in self.lines)


def suppressions_of(source: Source, comments: Sequence[Span]) -> list[Suppression]:
    """Return the suppressions among the comments of a text."""
    matches = [(comment, _SUPPRESSION.match(source.text, comment.start, comment.end)) for comment in comments]
    if not any(match for _, match in matches):
        return []
    alone = {source.position(comment.start).line for comment in comments if _is_alone(comment, source)}
    lines = range(1, len(source.line_starts) + 1)
    first_code = next((line for line in lines if line not in alone and source.line_text(line).strip()), None)
    found: list[Suppression] = []
    for comment, match in matches:
        if match is None:
            continue
        own_line = source.position(comment.start).line
        of_file = match["kind"] == "ignore-file"
        names = [] if match["list"] is None else [*_NAME.finditer(source.text, *match.span("rules"))]
        found.append(
            Suppression(
                comment,
                Span(*match.span()),
                tuple(Span(*name.span()) for name in names),
                tuple(name[0] for name in names),
                lines=None if of_file else _covered(own_line, alone, source),
                is_alone=own_line in alone,
                is_effective=not of_file or first_code is None or own_line < first_code,
            )
        )
    return found


def _covered(line: int, alone: Set[int], source: Source) -> range:
    """Return the lines that a comment on a line covers. ``alone`` are the lines with only a comment."""
    if line not in alone:
        return range(line, line + 1)
    texts = {each: source.line_text(each).strip() for each in alone}
    start = line
    while _SUPPRESSION.match(texts.get(start, "")):
        start += 1
    if MARKER.match(texts.get(start, "")):
        end = start + 1
        while _SAMPLE_GOES_ON.match(texts.get(end, "")):
            end += 1
        return range(start, end)
    while start in alone:
        start += 1
    return range(start, start + 1)


def _is_alone(comment: Span, source: Source) -> bool:
    start = source.line_starts[source.position(comment.start).line - 1]
    return not source.text[start : comment.start].strip()


def is_suppressed(
    found: Diagnostic, source: Source, suppressions: Sequence[Suppression], by_name: bool = False
) -> bool:
    """Return whether a comment suppresses a diagnostic, and note it in ``used`` of every such comment.

    With ``by_name``, comments that name no rule do not count.
    """
    line = source.position(found.location.span.start).line
    covering = [
        each
        for each in suppressions
        if each.covers(line) and (found.rule.name in each.rules or (each.is_blanket and not by_name))
    ]
    for each in covering:
        each.used.add(found.rule.name)
    return bool(covering)


def fix_of(source: Source, title: str, edits: Iterable[tuple[Span, str]], safe: bool = True) -> Fix:
    """Return the fix that replaces spans of a text."""
    return Fix(title, tuple(TextEdit(Location(source.path, span), text) for span, text in edits), safe)


def diagnostic(
    rule: Rule, message: str, span: Span, source: Source, fix: Fix | None, unnecessary: bool = False
) -> Diagnostic:
    """Return a diagnostic of a rule about comments, with the severity of the rule."""
    return Diagnostic(rule, rule.severity, message, Location(source.path, span), fix=fix, unnecessary=unnecessary)
