"""One JSON document: the diagnostics and a summary. Its ``version`` changes with its meaning, not with additions."""

from __future__ import annotations

from snd_analysis.base import Severity
from snd_analysis.proofs import Proof
from snd_server.checking.report import Report, relative_url
from snd_server.console.terminal import json_text
from snd_server.render.reports.records import record


def render(report: Report) -> str:
    """Return the document, indented."""
    document: dict[str, object] = {
        "version": 1,
        "diagnostics": [record(diagnostic, report) for diagnostic in report.diagnostics],
        "summary": {
            "files": len(report.files),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
        },
    }
    if report.proofs is not None:
        document["proofs"] = [_proof(each, report) for each in report.proofs]
    return json_text(document, 2)


def _proof(proof: Proof, report: Report) -> dict[str, object]:
    """Return the verdict on one condition.

    ``text`` is the part of the program that the condition is about, ``counterexample`` a failing sample, or null.
    """
    source = report.source(proof.path)
    at = source.position(proof.span.start)
    return {
        "path": relative_url(proof.path),
        "operator": proof.operator,
        "line": at.line,
        "column": at.column,
        "condition": proof.condition,
        "text": source.text[proof.span.start : proof.span.end],
        "verdict": proof.verdict,
        "reason": proof.reason or None,
        "counterexample": f"# >>> {proof.candidates[0].sample}" if proof.candidates else None,
        "assertion": "; ".join(proof.assertions) or None,
    }
