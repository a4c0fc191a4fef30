"""``snd check --watch``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def edits(monkeypatch):
    """Steps done one after the other: once the watcher stands, then whenever a change has been checked. In the end the
    watcher is interrupted."""
    import watchfiles

    watch = watchfiles.watch
    steps: list[Callable[[], None]] = []

    def watched(*places: str, **options: Any) -> Iterator[object]:
        timely = {"debounce": 50, "step": 20, "rust_timeout": 20, "yield_on_timeout": True}
        changes = watch(*places, **options, **timely)
        assert not next(changes), "it stands, and nothing has changed"
        while steps:
            steps.pop(0)()
            yield next(filter(None, changes))

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
