"""The report for people: every place involved, with its code, and the suggested fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snd_analysis.base import Diagnostic, Location, Severity
from snd_server.checking.report import Report
from snd_server.console.visible import visible
from snd_server.render.reports.frame import Label, SourceFrame, shown_lines
from snd_server.render.reports.proof_table import proof_table
from snd_server.render.reports.summary import summary

SEVERITY_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold blue",
    Severity.HINT: "bold cyan",
}


class _Group(NamedTuple):
    location: Location
    message: str
    labels: list[Label]


def render(report: Report) -> str:
    """Return one block per diagnostic, then the summary."""
    blocks = ["\n".join(_block(diagnostic, report)) + "\n" for diagnostic in report.diagnostics]
    return "\n".join([*blocks, *filter(None, [proof_table(report)]), *summary(report)])


def _block(diagnostic: Diagnostic, report: Report) -> Iterator[str]:
    style = SEVERITY_STYLES[diagnostic.severity]
    frame = SourceFrame(report.paint, _gutter(diagnostic, report), report.width)
    yield _head(report, style, f"{diagnostic.severity}[{diagnostic.rule.name}]", diagnostic.message)
    groups = _groups(diagnostic, report, frame, style)
    for at, (location, message, labels) in enumerate(groups):
        if at:
            yield _head(report, "bold cyan", "note", message)
        yield from _place(location, report, frame, labels)
    if diagnostic.fix is not None:
        from snd_server.render.reports.fix_preview import draw_fix  # loads the rules that are checked on trees

        yield _head(report, "bold green", "fix" if diagnostic.fix.safe else "unsafe fix", diagnostic.fix.title)
        yield from draw_fix(diagnostic.fix, report.source(diagnostic.location.path), frame)


def _head(report: Report, style: str, label: str, message: str) -> str:
    text = "\n  ".join(map(visible, message.split("\n")))
    return f"{report.paint(style, label)}{report.paint('bold', f': {text}')}"


def _groups(diagnostic: Diagnostic, report: Report, frame: SourceFrame, style: str) -> list[_Group]:
    """Return the place of a diagnostic and its notes, in order.

    A note about lines that are shown anyway is a label there.
    """
    groups = [_Group(diagnostic.location, "", [Label(diagnostic.location.span, "^", style)])]
    for related in diagnostic.related:
        source = report.source(related.location.path)
        lines = shown_lines(source, related.location.span)
        joined = Label(related.location.span, "-", "bold cyan", " ".join(related.message.split()))
        for group in groups:
            shown = {line for label in group.labels for line in shown_lines(source, label.span)}
            is_shown = group.location.path == related.location.path and not shown.isdisjoint(lines)
            if is_shown and source.text and frame.fits(source, [*group.labels, joined]):
                group.labels.append(joined)
                break
        else:
            label = Label(related.location.span, "-", "bold cyan")
            groups.append(_Group(related.location, related.message, [label]))
    return groups


def _place(location: Location, report: Report, frame: SourceFrame, labels: Sequence[Label]) -> Iterator[str]:
    start = report.start(location)
    arrow = report.paint("bold blue", " " * frame.gutter + "-->")
    yield f"{arrow} {visible(location.path)}:{start.line}:{start.column}"
    yield from frame.draw(report.source(location.path), labels)


def _gutter(diagnostic: Diagnostic, report: Report) -> int:
    locations = [diagnostic.location, *(related.location for related in diagnostic.related)]
    if diagnostic.fix is not None:
        locations += [edit.location for edit in diagnostic.fix.edits]
    return len(str(max(report.end(location).line for location in locations)))
