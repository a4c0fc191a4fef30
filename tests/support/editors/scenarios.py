"""Workspaces for windows of VS Code: copies, with the settings of each in `.vscode/settings.json`."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.editors.downloads import REPOSITORY

WORKSPACES = Path(__file__).parents[2] / "editors/vscode/workspaces"
SUITE = REPOSITORY / "vscode-extension" / "test" / "suite"
TEST = re.compile(r"""^\s*test\((["'`])(?P<title>.+?)\1""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A test that runs in the extension host, as its source names it."""

    scenario: str
    file: str
    title: str

    def __str__(self) -> str:
        return f"{self.scenario}/{self.file}: {self.title}"


def workspace(name: str, folder: Path, settings: Mapping[str, Any]) -> Path:
    """Copy the workspace `name` below `folder`, with settings; return the copy."""
    copied = shutil.copytree(WORKSPACES / name, folder / Path(name).name)
    (copied / ".vscode").mkdir()
    (copied / ".vscode/settings.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
    return copied


def workspace_file(folder: Path, roots: Sequence[Path], settings: Mapping[str, Any]) -> Path:
    """Write a workspace of several folders, with settings for all; return its file."""
    file = folder / "several.code-workspace"
    content = {"folders": [{"path": str(root)} for root in roots], "settings": settings}
    file.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return file


def cases(scenario: str) -> list[Case]:
    """Return all tests in a folder of the suite."""
    files = sorted((SUITE / scenario).glob("*.test.ts"))
    return [
        Case(scenario, file.stem, match["title"])
        for file in files
        for match in TEST.finditer(file.read_text(encoding="utf-8"))
    ]
