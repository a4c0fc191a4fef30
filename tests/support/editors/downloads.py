"""Editors that tests drive are downloaded once, into a directory outside of git that several clones may share."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

REPOSITORY = Path(__file__).parents[3]
DOWNLOAD_SECONDS = 300


class UnavailableError(Exception):
    """A program can't be had on this machine; the message says why."""


def cache() -> Path:
    """Return the directory of downloaded editors: `SND_EDITORS_CACHE`, else `.editors` at the top of the clone."""
    return Path(os.environ.get("SND_EDITORS_CACHE") or REPOSITORY / ".editors").resolve()


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Only one process at a time, also of several test runs and clones."""
    path = cache() / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `name` of the cache, filled by `make` unless it is there already.

    Unfinished folders are discarded: a folder under its final name is complete. Raise `UnavailableError`.
    """
    folder = cache() / name
    with locked(name):
        if not folder.exists():
            unfinished = folder.with_name(f"{name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            make(unfinished)
            unfinished.rename(folder)
    return folder


def build(command: Sequence[str | Path], folder: Path) -> None:
    """Make something of our own sources: unlike a download, this may not fail where the program is there."""
    needed(command[0])
    try:
        run(command, folder)
    except UnavailableError as failure:
        raise AssertionError(str(failure)) from None


def needed(program: str | Path) -> None:
    """Raise `UnavailableError` if a program is not there."""
    if shutil.which(program) is None:
        raise UnavailableError(f"there is no {Path(program).name} on PATH")


def run(command: Sequence[str | Path], folder: Path | None = None, environment: dict[str, str] | None = None) -> str:
    """Return the output of a command.

    Raise `UnavailableError` with the end of its messages if it is missing or fails.
    """
    name = Path(command[0]).name
    needed(command[0])
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | (environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{name} took longer than {DOWNLOAD_SECONDS} s") from None
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise UnavailableError(f"{' '.join(map(str, command))} failed:\n{said}")
    return done.stdout


def skip(reason: object) -> NoReturn:
    """Skip a test on a machine that can't run the editor; fail where all must be tested."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"can't be tested here: {reason}", pytrace=False)
    pytest.skip(str(reason))
