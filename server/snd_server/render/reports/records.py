"""The record of a diagnostic that ``json`` and ``jsonl`` share. Lines and columns count from 1, in code points."""

from __future__ import annotations

from typing import Any

from snd_analysis.base import Diagnostic, Location
from snd_server import rule_url
from snd_server.checking.report import Report


def record(diagnostic: Diagnostic, report: Report) -> dict[str, Any]:
    """Return the diagnostic as lists, dictionaries, strings and numbers."""
    return {
        "path": diagnostic.location.path,
        "rule": diagnostic.rule.name,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "range": _range(diagnostic.location, report),
        "related": [
            {**_placed(related.location, report), "message": related.message} for related in diagnostic.related
        ],
        "fix": diagnostic.fix
        and {
            "title": diagnostic.fix.title,
            "safe": diagnostic.fix.safe,
            "edits": [{**_placed(edit.location, report), "text": edit.text} for edit in diagnostic.fix.edits],
        },
        "url": rule_url(diagnostic.rule.name),
    }


def _placed(location: Location, report: Report) -> dict[str, Any]:
    return {"path": location.path, "range": _range(location, report)}


def _range(location: Location, report: Report) -> dict[str, Any]:
    start, end = report.start(location), report.end(location)
    return {
        "start": {"line": start.line, "column": start.column},
        "end": {"line": end.line, "column": end.column},
    }
