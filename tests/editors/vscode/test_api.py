"""Every contribution of the extension, asked for through the API of VS Code inside its extension host.

The tests are in `vscode-extension/test/suite`, a folder for each window; here each is a test of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from downloads import UnavailableError, skip
from host_runs import Run, begin, compile_tests, payload, wait
from scenarios import Case, cases, workspace
from vscode_server import VSCode
from vscode_window import OpenWindow

SECONDS = 90

RunScenario = Callable[[str], Run]


@pytest.fixture(scope="module")
def compiled() -> None:
    try:
        compile_tests()
    except UnavailableError as reason:
        skip(reason)


@pytest.fixture(scope="module")
def language(compiled: None, vscode: VSCode, open_window: OpenWindow, tmp_path_factory, snd: Path) -> Run:
    folder = tmp_path_factory.mktemp("language")
    root = workspace("language", folder, {"snd.server.path": str(snd)})
    results = begin("language", folder)
    window = open_window(root, payload(vscode.address, folder))
    run = wait(window, results, SECONDS)
    window.screenshot("api-language")
    return run


@pytest.mark.parametrize("case", cases("language"), ids=str)
def test_one_folder(language: Run, case: Case):
    language.check(case)
