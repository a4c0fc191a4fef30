"""Work on many files, shared with copies of this process that work at the same time and tell what they found.

A copy is made by ``fork``: it has all that was loaded and read. Where there is no such thing, or too little to do, this
process does all of it. Whatever becomes of a copy, its files are worked on.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

_WORTHWHILE = 100_000
"""So many characters take long enough: a copy finds out again what other files are made of."""

StepCount = Callable[[str], Any]
"""Finds something out about a file, as JSON can hold it."""


def shared(
    work: StepCount, sizes: Mapping[str, int], tracked: Callable[[Sequence[str]], Iterable[str]] = iter
) -> dict[str, Any]:
    """What ``work`` finds out about each of the files, given how many characters they have.

    ``tracked`` is told of the files that this process takes for itself, and gives them one by one.
    """
    own, *others = _parts(sizes, min(_processors(), sum(sizes.values()) // _WORTHWHILE))
    copies: list[_Copy] = []
    try:
        with suppress(OSError):  # no more processes are to be had
            copies.extend(_Copy(work, part) for part in others)
        found = {path: work(path) for path in tracked(own)}
        for copy in copies:
            found.update(copy.results())
    finally:
        for copy in copies:
            copy.end()
    return {path: found[path] if path in found else work(path) for path in sizes}


def _processors() -> int:
    if not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _parts(sizes: Mapping[str, int], count: int) -> list[list[str]]:
    """The files in so many parts of about the same size, at least one; in each in their order."""
    totals = [0] * max(count, 1)
    part_of: dict[str, int] = {}
    for path in sorted(sizes, key=lambda path: -sizes[path]):
        part_of[path] = least = totals.index(min(totals))
        totals[least] += sizes[path]
    return [[path for path in sizes if part_of[path] == at] for at in range(len(totals))]


class _Copy:
    """A copy of this process that works on some files."""

    def __init__(self, work: StepCount, paths: Sequence[str]) -> None:
        self._told, telling = os.pipe()
        try:
            self._process = os.fork()
        except OSError:
            os.close(self._told)
            os.close(telling)
            raise
        if self._process:
            os.close(telling)
            return
        try:  # from here on, this is the copy: it must not go on as if it were the process
            _let_go(self._told)
            found = {path: work(path) for path in paths}
            with os.fdopen(telling, "w", encoding="utf-8") as stream:
                json.dump(found, stream)
            sys.stderr.flush()
        finally:
            os._exit(0)

    def results(self) -> dict[str, Any]:
        """What it found out, when it has; nothing if it failed."""
        with os.fdopen(os.dup(self._told), encoding="utf-8") as stream, suppress(ValueError):
            found: dict[str, Any] = json.load(stream)
            return found
        return {}

    def end(self) -> None:
        """Nothing more is asked of it."""
        os.close(self._told)
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def _let_go(told: int) -> None:
    """Makes a copy keep nobody waiting whose process is killed: it can't tell anybody, and holds no output open."""
    os.close(told)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
