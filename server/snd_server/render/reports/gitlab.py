"""GitLab Code Quality: the subset of the Code Climate format that merge requests read."""

from __future__ import annotations

import os
from collections import Counter
from hashlib import sha256
from typing import Any

from snd_analysis.base import Diagnostic, Severity
from snd_server.checking.report import Report, relative_url
from snd_server.console.terminal import json_text

_SEVERITIES = {
    Severity.ERROR: "major",
    Severity.WARNING: "minor",
    Severity.INFO: "info",
    Severity.HINT: "info",
}


def render(report: Report) -> str:
    """Return one array; paths are relative to the project, which the environment names in a pipeline."""
    seen: Counter[str] = Counter()
    issues = [_issue(diagnostic, report, seen) for diagnostic in report.diagnostics]
    return json_text(issues, 2)


def _issue(diagnostic: Diagnostic, report: Report, seen: Counter[str]) -> dict[str, Any]:
    path = relative_url(diagnostic.location.path, os.environ.get("CI_PROJECT_DIR", ""))
    start, end = report.start(diagnostic.location), report.end(diagnostic.location)
    return {
        "description": f"{diagnostic.rule.name}: {diagnostic.message}",
        "check_name": diagnostic.rule.name,
        "fingerprint": _fingerprint(path, diagnostic, report, seen),
        "severity": _SEVERITIES[diagnostic.severity],
        "location": {
            "path": path,
            "positions": {
                "begin": {"line": start.line, "column": start.column},
                "end": {"line": end.line, "column": end.column},
            },
        },
    }


def _fingerprint(path: str, diagnostic: Diagnostic, report: Report, seen: Counter[str]) -> str:
    """Return a fingerprint that survives added lines elsewhere: it includes the text of the line, not its number."""
    line = report.source(diagnostic.location.path).line_text(report.start(diagnostic.location).line).strip()
    identity = "\0".join((path, diagnostic.rule.name, diagnostic.message, line))
    seen[identity] += 1
    return sha256(f"{identity}\0{seen[identity]}".encode("utf-8", "surrogatepass")).hexdigest()
