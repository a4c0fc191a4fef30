"""Traces of tests: screenshots, and for each failure the contents and messages of its pages."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page

from support.editors.downloads import REPOSITORY

OUTPUT = REPOSITORY / "test-output" / "editors"
# Parallel test processes have separate logs.
LOGS = OUTPUT / "logs" / os.environ.get("PYTEST_XDIST_WORKER", "main")
_MOST_LINES = 40
# Open browsers.
BROWSERS: list[Browser] = []


def trace_failure(item: pytest.Item, report: pytest.TestReport) -> None:
    """Keep a screenshot of every open page, and add the console output of the pages to the report."""
    name = re.sub(r"\W+", "-", item.name).strip("-")[:80]
    OUTPUT.mkdir(parents=True, exist_ok=True)
    pages = [page for browser in BROWSERS for context in browser.contexts for page in context.pages]
    for number, page in enumerate(pages):
        file = OUTPUT / f"failed-{name}-{number}.png"
        # A page that hangs must not take the report with it.
        with suppress(Error):
            page.screenshot(path=file, animations="disabled", timeout=10_000)
        with suppress(Error):
            report.sections.append((f"page {number}, {file.relative_to(REPOSITORY)}", said(page)))


def said(page: Page) -> str:
    """Return the address of a page, its errors, and its last console messages, each line once."""
    console = dict.fromkeys(
        f"{each.type}: {each.text.splitlines()[0][:300]}" for each in page.console_messages() if each.text
    )
    errors = [f"page error: {error}" for error in page.page_errors()]
    return "\n".join([page.url, *errors, *list(console)[-_MOST_LINES:]])


def keep_logs(name: str, *sources: Path) -> None:
    """Copy the files and folders that a server of VS Code and its extension hosts wrote."""
    for source in sources:
        target = LOGS / name / source.name
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copy(source, target)
