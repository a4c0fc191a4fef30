"""The tests in lua/, each in Neovim 0.10 and in the newest one.

A file of them is run by one process of Neovim, when the first of its tests is asked for.

Invariant 20 of ARCHITECTURE.md.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from support.editors.library_tokens import expected_classes
from support.editors.neovim_programs import OLDEST, Neovim
from support.editors.neovim_runs import HERE, names_in, run_lua

_FILES = sorted((HERE / "lua").glob("test_*.lua"))
_STARTING = HERE / "lua/test_starting.lua"

# Values that test files find as GIVEN.
_GIVEN = {"test_syntax_library": expected_classes}

Problem = Callable[[Neovim, Path, str, str], str]


@pytest.fixture(scope="session")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    """Return the error of a test in a file for a way to start; any worker runs each file once."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def answer(neovim: Neovim, file: Path, start: str, name: str) -> str:
        run = f"{file.stem}-{neovim.version[0]}.{neovim.version[1]}-{start}"
        done = shared / f"{run}.json"
        with (shared / f"{run}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                given = _GIVEN[file.stem]() if file.stem in _GIVEN else None
                problems = run_lua(neovim, file, start, shared / run, given)
                done.write_text(json.dumps(problems), encoding="utf-8")
        return str(json.loads(done.read_text(encoding="utf-8"))[name])

    return answer


@pytest.mark.parametrize(
    ("file", "name"),
    [pytest.param(file, name, id=f"{file.stem}: {name}") for file in _FILES for name in names_in(file)],
)
def test_in_neovim(neovim: Neovim, file: Path, name: str, problem: Problem) -> None:
    found = problem(neovim, file, "setup" if neovim.version == OLDEST else "enable", name)
    assert not found, found


@pytest.mark.parametrize("neovim", ["newest"], indirect=True)
@pytest.mark.parametrize("name", names_in(_STARTING))
def test_setup_in_newer_versions(neovim: Neovim, name: str, problem: Problem) -> None:
    found = problem(neovim, _STARTING, "setup", name)
    assert not found, found


def test_every_file_has_tests() -> None:
    assert len(_FILES) > 5
    assert all(names_in(file) for file in _FILES)
