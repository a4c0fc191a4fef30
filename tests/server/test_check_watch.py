"""``snd check --watch`` checks again after each change of a text, a module path or the configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from snd_server.commands import watch as watching
from snd_server.commands.check import run_under

NNEF1 = """version 1.0;

graph net(x) -> (y)
{
    x = external<scalar>(shape = [2]);
    w = variable<scalar>(shape = [2], label = 'w');
    y = add(relu(x), w);
}
"""
FAR = 3000
"""Times that the watcher says within at least 20 milliseconds each that nothing has changed."""


@pytest.fixture
def edits(monkeypatch):
    """Steps done one after the other: after the first check, then whenever a change has been checked.

    In the end the watcher is interrupted.
    """
    import watchfiles

    watch = watchfiles.watch
    steps: list[Callable[[], None]] = []

    def watched(*places: str, **options: Any) -> Iterator[object]:
        timely = {"debounce": 50, "step": 20, "rust_timeout": 20}
        changes = watch(*places, **(options | timely))
        yield next(changes)
        while steps:
            steps.pop(0)()
            change = next(filter(None, islice(changes, FAR)), None)
            assert change is not None, "the change is not seen"
            yield change

    monkeypatch.setattr(watchfiles, "watch", watched)
    return steps


def replace(file: Path, text: str) -> None:
    """Change a file at once: half of a change would be seen, and checked, too."""
    draft = file.parent.parent / "draft"
    draft.write_text(text)
    draft.replace(file)


def test_a_change_is_checked(snd, project, edits):
    (project / "a.sknd").write_text("wrong\n")
    edits.append(lambda: replace(project / "a.sknd", "odd\n"))
    edits.append(lambda: replace(project / "a.sknd", "fine\n"))
    outcome = snd("check", "--watch", "--format", "concise")
    assert outcome.status == 130
    assert outcome.stdout.splitlines() == [
        "a.sknd:1:1: error[wrong] [*] The word `wrong` is wrong",
        "Found 1 error in 1 file (1 fixable with --fix)",
        "a.sknd:1:1: warning[odd] The word `odd` is odd",
        "Found 1 warning in 1 file (1 with --fix --unsafe-fixes)",
        "1 file is clean",
    ]
    assert outcome.stderr.count("Watching for changes") == 3


def test_what_changes_during_a_check_is_checked(snd, project, edits, monkeypatch):
    (project / "a.sknd").write_text("wrong\n")
    changes = [lambda: replace(project / "a.sknd", "fine\n")]

    def checked(*arguments: Any) -> int:
        status = run_under(*arguments)
        while changes:
            changes.pop()()
        return status

    monkeypatch.setattr(watching, "run_under", checked)
    edits.append(lambda: None)
    outcome = snd("check", "--watch", "--format", "concise")
    assert outcome.stdout.splitlines()[0].startswith("a.sknd:1:1: error[wrong]")
    assert outcome.stdout.splitlines()[-1] == "1 file is clean"


def test_what_belongs_to_a_model_is_watched(snd, project, edits):
    (project / "graph.nnef").write_text(NNEF1)
    edits.append(lambda: replace(project / "graph.nnef", NNEF1.replace("relu(x)", "rleu(x)")))
    edits.append(lambda: replace(project / "graph.nnef", NNEF1))
    edits.append(lambda: replace(project / "w.dat", "no tensor"))
    outcome = snd("check", "--watch", "--format", "concise")
    assert outcome.stdout == "1 file is clean\n" * 4


def test_a_broken_configuration_is_waited_out(snd, project, edits):
    (project / "a.sknd").write_text("odd\n")
    (project / "snd.toml").write_text("selct = 1\n")

    def mend() -> None:
        (project / "unrelated.txt").write_text("x")
        replace(project / "snd.toml", 'ignore = ["odd"]\n')

    edits.append(mend)
    outcome = snd("check", "--watch", "a.sknd")
    assert outcome.status == 130
    assert outcome.stderr.count("unknown key") == 1
    assert outcome.stdout == "1 file is clean\n"


@pytest.mark.parametrize("name", ["base.sknd", "base"])
def test_module_paths_and_configuration_are_watched(name, snd, project, edits, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    special = tmp_path / "special.toml"
    special.write_text(f'module-paths = ["{os.path.relpath(shared, tmp_path)}"]\n')
    (project / "a.sknd").write_text("import base\n")
    change = (shared / name, "fine\n") if name.endswith(".sknd") else (special, 'ignore = ["all"]\n')
    edits.append(lambda: replace(*change))
    outcome = snd("check", "--watch", "--format", "concise", "--config", str(special))
    assert "missing-module" in outcome.stdout
    assert outcome.stdout.endswith("1 file is clean\n")
