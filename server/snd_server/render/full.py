"""For people: every place that takes part, with its code, and the fix that is suggested."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Diagnostic, Location, Severity
from snd_server.render.fix_preview import draw_fix
from snd_server.render.frame import Frame
from snd_server.render.summary import summary
from snd_server.render.visible import visible
from snd_server.report import Report

SEVERITY_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold blue",
    Severity.HINT: "bold cyan",
}


def render(report: Report) -> str:
    """One block per diagnostic, then the summary."""
    blocks = ["\n".join(_block(diagnostic, report)) + "\n" for diagnostic in report.diagnostics]
    return "\n".join([*blocks, *summary(report)])


def _block(diagnostic: Diagnostic, report: Report) -> Iterator[str]:
    style = SEVERITY_STYLES[diagnostic.severity]
    frame = Frame(report.paint, _gutter(diagnostic, report), report.width)
    yield _head(report, style, f"{diagnostic.severity}[{diagnostic.rule.name}]", diagnostic.message)
    yield from _place(diagnostic.location, report, frame, "^", style)
    for related in diagnostic.related:
        yield _head(report, "bold cyan", "note", related.message)
        yield from _place(related.location, report, frame, "-", "bold cyan")
    if diagnostic.fix is not None:
        yield _head(report, "bold green", "fix" if diagnostic.fix.safe else "unsafe fix", diagnostic.fix.title)
        yield from draw_fix(diagnostic.fix, report.source(diagnostic.location.path), frame)


def _head(report: Report, style: str, label: str, message: str) -> str:
    text = "\n  ".join(map(visible, message.split("\n")))
    return f"{report.paint(style, label)}{report.paint('bold', f': {text}')}"


def _place(location: Location, report: Report, frame: Frame, mark: str, style: str) -> Iterator[str]:
    start = report.start(location)
    arrow = report.paint("bold blue", " " * frame.gutter + "-->")
    yield f"{arrow} {visible(location.path)}:{start.line}:{start.column}"
    yield from frame.draw(report.source(location.path), location.span, mark, style)


def _gutter(diagnostic: Diagnostic, report: Report) -> int:
    locations = [diagnostic.location, *(related.location for related in diagnostic.related)]
    if diagnostic.fix is not None:
        locations += [edit.location for edit in diagnostic.fix.edits]
    return len(str(max(report.end(location).line for location in locations)))
