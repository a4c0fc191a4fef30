"""snd reads regular files of a limited size: pipes, devices and endless files cost a message."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from snd_server.limits import MOST_SETTINGS_BYTES
from snd_server.workspace_files.reading import read_file

GRAPH = "graph G {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose { y = x; }\n}\n"


def pipe(path: Path) -> None:
    """A pipe into which nobody writes: opening it waits for ever."""
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    """A file of a terabyte that takes no room on the disk."""
    with path.open("wb") as stream:
        stream.truncate(1 << 40)


ATTACKS = pytest.mark.parametrize("attack", [pipe, endless, huge], ids=lambda attack: attack.__name__)
NO_FILE = "it is neither a file nor a folder"
TOO_LARGE = "it has 1,099,511,627,776 bytes, more than the"


@ATTACKS
@pytest.mark.parametrize("name", [".gitignore", "models/.gitignore", ".git/info/exclude"])
@pytest.mark.parametrize("command", [("check",), ("fmt", "--check"), ("test",)], ids=lambda command: command[0])
def test_ignore_files(project: Path, real, attack: Callable[[Path], None], name: str, command: tuple[str, ...]):
    for folder in (".git/info", "models"):
        (project / folder).mkdir(parents=True)
    (project / "models" / "a.sknd").write_text(GRAPH)
    attack(project / name)
    outcome = real(*command)
    assert outcome.status == 2
    assert f"{project / name}: {TOO_LARGE if attack is huge else NO_FILE}" in outcome.stderr


@ATTACKS
def test_sources(project: Path, real, attack: Callable[[Path], None]):
    attack(project / "a.sknd")
    found = real("check", "--format", "concise")
    assert found.status == 2
    expected = TOO_LARGE if attack is huge else NO_FILE
    assert f"a.sknd:1:1: error[unreadable-file] it cannot be read: {expected}" in found.stdout
    formatted = real("fmt", "--check")
    assert (formatted.status, f"a.sknd: it cannot be read: {expected}" in formatted.stderr) == (2, True)


@ATTACKS
@pytest.mark.parametrize("name", ["snd.toml", "pyproject.toml"])
def test_configurations(project: Path, real, attack: Callable[[Path], None], name: str):
    attack(project / name)
    (project / "a.sknd").write_text(GRAPH)
    outcome = real("check")
    if attack is huge:
        assert (outcome.status, f"{name}: cannot be read: {TOO_LARGE}" in outcome.stderr) == (2, True)
    else:  # an irregular file is no configuration
        assert (outcome.status, outcome.stdout) == (0, "1 file is clean\n")
    named = real("check", "--config", name)
    assert named.status == 2
    assert f"{name}: cannot be read: {TOO_LARGE if attack is huge else NO_FILE}" in named.stderr


@ATTACKS
@pytest.mark.parametrize("suffix", ["npy", "npz", "dat"])
def test_tensors(project: Path, real, attack: Callable[[Path], None], suffix: str):
    (project / "a.sknd").write_text(GRAPH)
    (project / "weights").mkdir()
    attack(project / "weights" / f"w.{suffix}")
    expected = TOO_LARGE if attack is huge else NO_FILE
    given = real("run", "a.sknd", "--input", f"x=@weights/w.{suffix}")
    assert (given.status, expected in given.stderr) == (2, True)
    if attack is huge:  # an irregular file has no weights
        weights = real("run", "a.sknd", "--weights", "weights")
        assert (weights.status, expected in weights.stderr) == (2, True)


def test_a_file_that_is_exchanged_for_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch):
    """Between the look at the file and its opening, it becomes another one."""
    path = tmp_path / "a.sknd"
    path.write_text(GRAPH)
    there = os.open

    def exchange(path: str, flags: int, *more: int) -> int:
        os.unlink(path)
        os.mkfifo(path)
        return there(path, flags, *more)

    monkeypatch.setattr("snd_server.workspace_files.reading.os.open", exchange)
    with pytest.raises(OSError, match=NO_FILE):
        read_file(path, 1000)


def test_a_file_that_grows_is_read_up_to_its_limit(tmp_path: Path, monkeypatch):
    path = tmp_path / "a.sknd"
    path.write_bytes(b"x" * 10)
    there, asked = os.read, []

    def grow(handle: int, count: int) -> bytes:
        asked.append(count)
        with path.open("ab") as stream:
            stream.write(b"x" * 100)
        return there(handle, count)

    monkeypatch.setattr("snd_server.workspace_files.reading.os.read", grow)
    with pytest.raises(OSError, match="it has too many bytes, more than the 50 allowed"):
        read_file(path, 50)
    assert sum(asked) <= 51 * len(asked)


def test_limits_are_what_they_are_called(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(bytes(MOST_SETTINGS_BYTES))
    assert len(read_file(path, MOST_SETTINGS_BYTES)) == MOST_SETTINGS_BYTES
    with pytest.raises(OSError, match="it has 524,288 bytes, more than the 524,287 allowed"):
        read_file(path, MOST_SETTINGS_BYTES - 1)
    (tmp_path / "empty").write_bytes(b"")
    assert read_file(tmp_path / "empty", 0) == b""


def test_every_file_is_read_and_written_by_the_one_function():
    """No other module of the server opens files whose content or place a workspace decides."""
    root = Path(__file__).parents[3] / "server" / "snd_server"
    calls = (
        ".read_text(", ".read_bytes(", ".write_text(", ".write_bytes(", '.open("', "mkstemp(", ".save_model(",
        "os.remove(",
    )  # fmt: skip
    allowed = {
        "workspace_files/reading.py", "workspace_files/writing.py",
        "checking/cache.py",  # its folder is the user's
        "render/drawings/graph_page.py", "render/drawings/graph_svg.py",  # what comes with snd
    }  # fmt: skip
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if any(call in path.read_text(encoding="utf-8") for call in calls)
    }
    assert found <= allowed
