"""Every contribution of the extension, asked for through the API of VS Code inside its extension host.

The tests are in `vscode-extension/test/suite`, a folder for each window; here each is a test of its own.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.editors.downloads import UnavailableError, skip
from support.editors.host_runs import Run, begin, compile_tests, payload, wait
from support.editors.scenarios import SUITE, Case, cases, workspace, workspace_file
from support.editors.traces import OUTPUT, said
from support.editors.vscode_server import VSCode
from support.editors.vscode_window import OpenWindow

# For all tests of a window, on a machine however busy.
SECONDS = 500

# A substitute for the extension of that name; the real one is not on the registries that tests may use.
PYTHON_EXTENSION = Path(__file__).parent / "python-extension"

RunScenario = Callable[[str, Path], Run]


@pytest.fixture(scope="module")
def run(vscode: VSCode, open_window: OpenWindow) -> RunScenario:
    """Open a window for a workspace and runs a folder of tests in its extension host."""
    try:
        compile_tests()
    except UnavailableError as reason:
        skip(reason)

    def run(scenario: str, root: Path) -> Run:
        results = begin(scenario, root.parent)
        window = open_window(root, payload(vscode.address, root.parent))
        found = wait(window, results, SECONDS)
        window.screenshot(f"api-{scenario}")
        (OUTPUT / f"api-{scenario}.txt").write_text(said(window.page), encoding="utf-8")
        window.page.context.close()
        return found

    return run


@pytest.fixture(scope="module")
def language(run: RunScenario, tmp_path_factory: pytest.TempPathFactory, snd: Path) -> Run:
    settings = {"snd.server.path": str(snd)}
    return run("language", workspace("language", tmp_path_factory.mktemp("language"), settings))


@pytest.mark.parametrize("case", cases("language"), ids=str)
def test_one_folder(language: Run, case: Case):
    language.check(case)


@pytest.fixture(scope="module")
def settings(run: RunScenario, tmp_path_factory: pytest.TempPathFactory, snd: Path) -> Run:
    return run("settings", workspace("settings", tmp_path_factory.mktemp("settings"), {"snd.server.path": str(snd)}))


@pytest.mark.parametrize("case", cases("settings"), ids=str)
def test_settings(settings: Run, case: Case):
    settings.check(case)


@pytest.fixture(scope="module")
def folders(run: RunScenario, tmp_path_factory: pytest.TempPathFactory, snd: Path) -> Run:
    folder = tmp_path_factory.mktemp("folders")
    first = workspace("folders/first", folder, {})
    second = workspace("folders/second", folder, {"snd.warn": ["undefined-name"]})
    return run("folders", workspace_file(folder, [first, second], {"snd.server.path": str(snd)}))


@pytest.mark.parametrize("case", cases("folders"), ids=str)
def test_two_folders(folders: Run, case: Case):
    folders.check(case)


@pytest.fixture(scope="module")
def environment(run: RunScenario, tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = workspace("language", tmp_path_factory.mktemp("environment"), {})
    (root / ".venv").symlink_to(sys.prefix)
    return run("environment", root)


@pytest.mark.parametrize("case", cases("environment"), ids=str)
def test_environment_in_the_workspace(environment: Run, case: Case):
    environment.check(case)


@pytest.fixture(scope="module")
def python(run: RunScenario, tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = workspace("language", tmp_path_factory.mktemp("python"), {})
    shutil.copytree(PYTHON_EXTENSION, root.parent / "test-bed")
    (root.parent / "python.txt").write_text(sys.executable, encoding="utf-8")
    return run("python", root)


@pytest.mark.parametrize("case", cases("python"), ids=str)
def test_environment_that_the_python_extension_tells(python: Run, case: Case):
    python.check(case)


@pytest.mark.parametrize("scenario", [folder.name for folder in SUITE.iterdir() if folder.is_dir()])
def test_all_that_ran_is_counted(scenario: str, request: pytest.FixtureRequest):
    """Titles are read from the sources; one that can't be read so would fail unseen."""
    ran = {key for key in request.getfixturevalue(scenario).errors if key[1][:1] != '"'}
    assert ran == {(case.file, case.title) for case in cases(scenario)}
