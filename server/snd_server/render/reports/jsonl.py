"""One JSON object per line and diagnostic, for programs that read as they go."""

from __future__ import annotations

from snd_server.checking.report import Report
from snd_server.console.terminal import json_text
from snd_server.render.reports.records import record


def render(report: Report) -> str:
    """Return the lines; none if there is nothing to report."""
    return "".join(json_text(record(diagnostic, report)) for diagnostic in report.diagnostics)
