"""One JSON document: the diagnostics and a summary. Its ``version`` changes with its meaning, not with additions."""

from __future__ import annotations

from snd_analysis.base import Severity
from snd_server.render.records import record
from snd_server.report import Report
from snd_server.terminal import json_text


def render(report: Report) -> str:
    """Return the document, indented."""
    document = {
        "version": 1,
        "diagnostics": [record(diagnostic, report) for diagnostic in report.diagnostics],
        "summary": {
            "files": len(report.files),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
        },
    }
    return json_text(document, 2)
