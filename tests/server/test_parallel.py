"""Files that several processes work on: the outcome is that of one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from snd_server.checking import parallel
from snd_server.checking.parallel import in_parallel
from support.liveness import is_alive
from support.waiting import FAR_SECONDS

SIZES = {f"file{at}": 10 * at for at in range(8)}


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever there is to do is done by three processes."""
    if not hasattr(os, "fork"):
        pytest.skip("processes can't be copied here")
    monkeypatch.setattr(parallel, "_processors", lambda: 3)
    monkeypatch.setattr(parallel, "_WORTHWHILE", 1)


def test_each_file_is_worked_on_once_by_another_process(three: None, tmp_path: Path) -> None:
    def work(path: str) -> list[object]:
        with (tmp_path / path).open("x"):
            return [path, os.getpid()]

    found = in_parallel(work, SIZES)
    assert list(found) == list(SIZES)
    assert all(path == told[0] for path, told in found.items())
    assert os.getpid() not in {told[1] for told in found.values()}


def test_three_processes_work_at_once(three: None, tmp_path: Path) -> None:
    """Each waits for the others: fewer would not get on."""

    def work(path: str) -> int:
        (tmp_path / str(os.getpid())).touch()
        deadline = time.monotonic() + FAR_SECONDS
        while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        return len(list(tmp_path.iterdir()))

    assert set(in_parallel(work, SIZES).values()) == {3}


@pytest.mark.parametrize("ends", [lambda: 1 / 0, lambda: os._exit(1), lambda: os.kill(os.getpid(), signal.SIGKILL)])
def test_what_a_copy_does_not_tell_is_found_out_here(ends: object, three: None) -> None:
    here = os.getpid()

    def work(path: str) -> str:
        if os.getpid() != here:
            ends()  # type: ignore[operator]
        return path.upper()

    assert in_parallel(work, SIZES) == {path: path.upper() for path in SIZES}


def test_copies_end_with_what_made_them(three: None, tmp_path: Path) -> None:
    def work(path: str) -> None:
        (tmp_path / str(os.getpid())).touch()
        signal.pause()

    def interrupted(paths: object) -> Iterator[str]:
        while len(list(tmp_path.iterdir())) < 3:
            time.sleep(0.01)
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        in_parallel(work, SIZES, interrupted)
    assert len(list(tmp_path.iterdir())) == 3
    for copy in tmp_path.iterdir():
        with pytest.raises(ProcessLookupError):
            os.kill(int(copy.name), 0)


def test_copies_of_what_is_killed_keep_nobody_waiting(three: None, tmp_path: Path) -> None:
    """The result of a copy, more than a pipe holds, is not wanted any more; nor does it hold the output open."""
    reading, writing = os.pipe()
    killed = os.fork()
    if not killed:
        os.dup2(writing, 1)
        os.close(writing)
        os.close(reading)

        def work(path: str) -> str:
            (tmp_path / str(os.getpid())).touch()
            return path * 100_000

        def killed_here(paths: object) -> Iterator[str]:
            while len(list(tmp_path.iterdir())) < 3:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGKILL)
            yield ""

        in_parallel(work, {f"file{at}": at for at in range(1_000)}, killed_here)
    os.close(writing)
    os.waitpid(killed, 0)
    with os.fdopen(reading) as output:
        assert output.read() == ""
    copies = [int(copy.name) for copy in tmp_path.iterdir()]
    assert len(copies) == 3
    deadline = time.monotonic() + FAR_SECONDS
    while any(map(is_alive, copies)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_alive, copies))


def test_without_more_processes_the_work_is_done_here(three: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fork, forked = os.fork, []

    def once() -> int:
        if forked:
            raise BlockingIOError
        forked.append(process := fork())
        return process

    monkeypatch.setattr(os, "fork", once)
    assert in_parallel(str.upper, SIZES) == {path: path.upper() for path in SIZES}
    with pytest.raises(ChildProcessError):
        os.waitpid(forked[0], os.WNOHANG)


def test_little_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 3)
    assert set(in_parallel(lambda path: os.getpid(), SIZES).values()) == {os.getpid()}
    assert in_parallel(str.upper, {}) == {}


MISTAKES = """import nn;

# >>> scaled([1.0, 2.0])
# y: real[3]
operator scaled {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { z = nn.relu(x, x); y = nn.nothing(unknown); }
}
"""


@pytest.mark.parametrize("form", ["full", "json", "sarif"])
def test_reports_are_the_same(form, project, real, monkeypatch, request):
    for at in range(6):
        (project / f"file{at}.sknd").write_text("# a comment\n" * at + MISTAKES, encoding="utf-8")
    (project / "ünreadable.sknd").write_bytes(b"\xff")
    alone = real("check", "--no-cache", "--format", form)
    request.getfixturevalue("three")
    together = real("check", "--no-cache", "--format", form)
    assert alone.stdout == together.stdout
    assert alone.status == together.status != 0
    assert "argument" in alone.stdout


def test_the_cache_knows_what_copies_found(project, real, three):
    for at in range(6):
        (project / f"file{at}.sknd").write_text(MISTAKES, encoding="utf-8")
    first, second = real("check", "-v"), real("check", "-v")
    assert "0 known from the cache" in first.stderr
    assert "6 known from the cache" in second.stderr
    assert first.stdout == second.stdout
