"""Progress on standard error, for runs long enough that someone at a terminal wonders."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

_PATIENCE = 0.7
"""Seconds before anything is shown."""


def tracked(files: Sequence[str], shown: bool) -> Iterator[str]:
    """The files, one by one; while they are worked on, a bar if standard error is a terminal."""
    if not shown or not sys.stderr.isatty():
        yield from files
        return
    begin = time.monotonic()
    for done, path in enumerate(files):
        if time.monotonic() - begin > _PATIENCE:
            yield from _with_bar(files, done)
            return
        yield path


def _with_bar(files: Sequence[str], done: int) -> Iterator[str]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("Checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(files), completed=done)
        for path in files[done:]:
            progress.update(task, description=path)
            yield path
            progress.advance(task)
