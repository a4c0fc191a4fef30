"""Text and pictures of results. A report has all that an output format needs: no format reads a file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from snd_server.checking.report import Report

FORMATS = {
    "full": "full",
    "concise": "concise",
    "json": "json",
    "jsonl": "jsonl",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
}
_MODULES = {**FORMATS, "statistics": "statistics", "statistics-json": "statistics_json"}


def render(name: str, report: Report) -> str:
    """Return the report in a format. Only the module of that format is imported: some are slow to load."""
    module = import_module(f"{__name__}.reports.{_MODULES[name]}")
    return cast("Callable[[Report], str]", module.render)(report)
