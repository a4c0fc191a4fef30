"""Number of violations of each rule, for programs (``--statistics --format json``)."""

from __future__ import annotations

from typing import Any

from snd_server.checking.report import Report, is_fixable
from snd_server.console.terminal import json_text


def render(report: Report) -> str:
    """Return an array of ``counts``."""
    return json_text(counts(report), 2)


def counts(report: Report) -> list[dict[str, Any]]:
    """Rule, severity, count and how many of them ``--fix`` would fix; most frequent first, then by name."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for diagnostic in report.diagnostics:
        row = rows.setdefault(
            (diagnostic.rule.name, diagnostic.severity.value),
            {"rule": diagnostic.rule.name, "severity": diagnostic.severity.value, "count": 0, "fixable": 0},
        )
        row["count"] += 1
        row["fixable"] += is_fixable(diagnostic, report.unsafe_fixes)
    return sorted(rows.values(), key=lambda row: (-row["count"], row["rule"]))
