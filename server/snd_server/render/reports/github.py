"""Workflow commands of GitHub Actions: each diagnostic becomes an annotation of the changed file."""

from __future__ import annotations

from snd_analysis.base import Diagnostic, Severity
from snd_server.checking.report import Report, relative_url
from snd_server.console.terminal import harmless, visible_lines

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}


def render(report: Report) -> str:
    """Return one command per line."""
    return "".join(_command(diagnostic, report) for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic, report: Report) -> str:
    start, end = report.start(diagnostic.location), report.end(diagnostic.location)
    properties = {
        "title": f"snd ({diagnostic.rule.name})",
        "file": relative_url(diagnostic.location.path),
        "line": start.line,
    }
    if start.line == end.line:  # columns are accepted only where the annotation has one line
        properties |= {"col": start.column}
    properties |= {"endLine": end.line}
    if start.line == end.line:
        properties |= {"endColumn": end.column}
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    where = f"{relative_url(diagnostic.location.path)}:{start.line}:{start.column}"
    told = _data(f"{where}: {diagnostic.rule.name}: {diagnostic.message}")
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{told}\n"


def _data(text: str) -> str:
    return harmless(visible_lines(text)).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
