"""One JSON object per line and diagnostic, for programs that read as they go."""

from __future__ import annotations

from snd_server.render.records import record
from snd_server.report import Report
from snd_server.terminal import json_text


def render(report: Report) -> str:
    """Return the lines; none if there is nothing to report."""
    return "".join(json_text(record(diagnostic, report)) for diagnostic in report.diagnostics)
