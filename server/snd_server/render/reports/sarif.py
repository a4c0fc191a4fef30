"""SARIF 2.1.0, the format that code scanning services read.

Built as plain dictionaries: the model libraries for SARIF cost more time to import than a whole check takes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Fix, Location, Rule, Severity
from snd_analysis.rules import catalogue
from snd_server import __version__
from snd_server.checking.report import Report, relative_url
from snd_server.console.terminal import json_text
from snd_server.render.rule_page import rule_page

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
    Severity.HINT: "note",
}


def render(report: Report) -> str:
    """Return a log with one run; only the rules that were triggered are described."""
    triggered = sorted(report.by_rule())
    run = {
        "tool": {
            "driver": {
                "name": "snd",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(catalogue.rule(name)) for name in triggered],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": rules.INTERNAL_ERROR.name not in triggered}],
        "results": [_result(diagnostic, triggered, report) for diagnostic in report.diagnostics],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, 2)


def _rule(rule: Rule) -> dict[str, Any]:
    page = catalogue.page(rule)
    return {
        "id": rule.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.why},
        "help": {"text": page.why, "markdown": rule_page(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"section": rule.section},
    }


def _result(diagnostic: Diagnostic, triggered: list[str], report: Report) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.rule.name,
        "ruleIndex": triggered.index(diagnostic.rule.name),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": diagnostic.message},
        "locations": [{"physicalLocation": _place(diagnostic.location, report)}],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _place(related.location, report),
                "message": {"text": related.message},
            }
            for number, related in enumerate(diagnostic.related)
        ]
    if diagnostic.fix is not None:
        result["fixes"] = [_fix(diagnostic.fix, report)]
    return result


def _fix(fix: Fix, report: Report) -> dict[str, Any]:
    replacements: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {"deletedRegion": _region(edit.location, report), "insertedContent": {"text": edit.text}}
        replacements.setdefault(edit.location.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": {"uri": _uri(path)}, "replacements": changes} for path, changes in replacements.items()
        ],
    }


def _place(location: Location, report: Report) -> dict[str, Any]:
    return {"artifactLocation": {"uri": _uri(location.path)}, "region": _region(location, report)}


def _region(location: Location, report: Report) -> dict[str, Any]:
    start, end = report.start(location), report.end(location)
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _uri(path: str) -> str:
    relative = relative_url(path)
    if relative.startswith("snd:"):
        return quote(relative, safe="/:")
    return (
        Path(path).absolute().as_uri()
        if Path(relative).is_absolute()
        else quote(relative.encode(errors="surrogateescape"))
    )
