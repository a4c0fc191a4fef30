"""One JSON object per line and diagnostic, for programs that read as they go."""

from __future__ import annotations

import json

from snd_server.render.records import record
from snd_server.report import Report


def render(report: Report) -> str:
    """The lines; none if there is nothing to report."""
    return "".join(
        json.dumps(record(diagnostic, report), ensure_ascii=False) + "\n" for diagnostic in report.diagnostics
    )
