"""Runs of tests inside the extension host: VS Code loads a script that runs a folder of them and writes the results."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.editors.downloads import build
from support.editors.packaged_extension import SOURCES, install_packages
from support.editors.scenarios import SUITE, Case
from support.editors.vscode_window import Window

# VS Code runs tests of extensions that it loads from their sources; this one is nothing but the permission to do so,
# since the extension that is tested is installed.
PERMISSION = {"name": "test-bed", "publisher": "snd-tests", "version": "0.0.1", "engines": {"vscode": "^1.90.0"}}


@dataclass(frozen=True, slots=True)
class Run:
    """The results of the tests of one window, by file and title: None or the error."""

    errors: dict[tuple[str, str], str | None]
    finished: bool

    def check(self, case: Case) -> None:
        """Fail as the test did, or as the hook that runs before all tests of its file."""
        key = (case.file, case.title)
        if key not in self.errors:
            hooks = [error for (file, title), error in self.errors.items() if file == case.file and title[:1] == '"']
            reason = hooks[0] if hooks else "it was left out" if self.finished else "the ones before did not end"
            pytest.fail(f"did not run: {reason}", pytrace=False)
        if (error := self.errors[key]) is not None:
            pytest.fail(error, pytrace=False)


def compile_tests() -> None:
    install_packages()
    build(["node", SUITE / "build.mjs"], SOURCES)


def payload(address: str, folder: Path) -> dict[str, str]:
    """Return the payload that makes VS Code run the tests.

    `folder` receives the extension that permits it, unless it has one.
    """
    bed = folder / "test-bed"
    if not bed.exists():
        bed.mkdir()
        (bed / "package.json").write_text(json.dumps(PERMISSION), encoding="utf-8")
    remote = f"vscode-remote://{address}"
    return {
        "extensionDevelopmentPath": f"{remote}{bed}",
        "extensionTestsPath": f"{remote}{SOURCES / 'out/suite/run.js'}",
    }


def begin(scenario: str, folder: Path) -> Path:
    """Set the tests for the window whose first workspace folder is directly below `folder`.

    Return the place of the results.
    """
    results = folder / "results.json"
    (folder / "scenario.json").write_text(json.dumps({"tests": scenario, "results": str(results)}), encoding="utf-8")
    return results


def wait(window: Window, results: Path, seconds: float) -> Run:
    """Wait until all tests have run, or no longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if results.exists() and (read := json.loads(results.read_text(encoding="utf-8")))["finished"]:
            return Run(_errors(read), True)
        window.page.wait_for_timeout(100)
    return Run(_errors(json.loads(results.read_text(encoding="utf-8"))) if results.exists() else {}, False)


def _errors(read: dict[str, list[dict[str, str | None]]]) -> dict[tuple[str, str], str | None]:
    return {(str(each["file"]), str(each["title"])): each["error"] for each in read["results"]}
