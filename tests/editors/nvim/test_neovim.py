"""The tests in lua/, each in Neovim 0.10 and in the newest one.

A file of them is run by one process of Neovim, when the first of its tests is asked for.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from library_tokens import expected_classes
from neovim_programs import OLDEST, Neovim
from neovim_runs import HERE, Outcome, run_lua, tests_in

_FILES = sorted((HERE / "lua").glob("test_*.lua"))

# What files of tests find as GIVEN.
_GIVEN = {"test_syntax_library": expected_classes}

_Runs = dict[tuple[Path, tuple[int, int], str], dict[str, Outcome]]


@pytest.fixture(scope="session")
def runs() -> _Runs:
    """What has been run already."""
    return {}


def outcome(runs: _Runs, neovim: Neovim, file: Path, start: str, folders: pytest.TempPathFactory, name: str) -> Outcome:
    """Of a test, whose file is run unless it has been."""
    key = (file, neovim.version, start)
    if key not in runs:
        given = _GIVEN[file.stem]() if file.stem in _GIVEN else None
        runs[key] = run_lua(neovim, file, start, folders.mktemp(file.stem), given)
    return runs[key][name]


@pytest.mark.parametrize(
    ("file", "name"), [pytest.param(file, name, id=f"{file.stem}: {name}") for file in _FILES for name in tests_in(file)]
)
def test_in_neovim(
    neovim: Neovim, file: Path, name: str, runs: _Runs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    start = "setup" if neovim.version == OLDEST else "enable"
    problem = outcome(runs, neovim, file, start, tmp_path_factory, name).problem
    assert problem is None, problem


@pytest.mark.parametrize("name", tests_in(HERE / "lua/test_starting.lua"))
def test_setup_in_newer_versions(
    neovim: Neovim, name: str, runs: _Runs, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if neovim.version == OLDEST:
        pytest.skip("that is how the other tests start it there")
    problem = outcome(runs, neovim, HERE / "lua/test_starting.lua", "setup", tmp_path_factory, name).problem
    assert problem is None, problem


def test_every_file_has_tests() -> None:
    assert all(tests_in(file) for file in _FILES)
    assert len(_FILES) > 5
