"""Progress on standard error, for runs long enough that someone at a terminal wonders."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from snd_server.console.terminal import displays

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 0.7
"""Seconds before anything is shown."""


def tracked(files: Sequence[str], shown: bool) -> Iterator[str]:
    """Yield the files, one by one; while they are worked on, a bar if standard error is a terminal."""
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


@contextmanager
def busy(title: str, shown: bool = True) -> Iterator[None]:
    """Show the running work, and its duration, if it takes long and standard error is a terminal.

    For work of unknown progress. The display makes way for printed text.
    """
    if not shown or not sys.stderr.isatty():
        yield
        return
    spinner = _Spinner(title)
    displays.append(spinner.clear)
    try:
        spinner.clear()
        yield
    finally:
        displays.remove(spinner.clear)
        spinner.end()


class _Spinner:
    def __init__(self, title: str) -> None:
        self._title = title
        self._begin = time.monotonic()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._progress: Progress | None = None

    def clear(self) -> None:
        """Hide the display until nothing was printed for a while."""
        self.end()
        with self._lock:
            self._timer = threading.Timer(_PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._progress is not None:
                self._progress.stop()
                self._progress = None

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._timer is not threading.current_thread():
                return  # it was cancelled too late
            columns = (SpinnerColumn(), TextColumn(self._title), TimeElapsedColumn())
            self._progress = Progress(
                *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
            )
            task = self._progress.add_task("", total=None)
            self._progress.tasks[task].start_time = self._progress.get_time() - (time.monotonic() - self._begin)
            self._progress.start()


class ProgressBar:
    """A bar for something that tells how far it is, shown when that takes long, if standard error is a terminal."""

    def __init__(self, title: str, shown: bool = True) -> None:
        self._title = title
        self._shown = shown and sys.stderr.isatty()
        self._begin = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def update(self, done: int, total: int) -> None:
        """So much is done."""
        if not self._shown or (self._progress is None and time.monotonic() - self._begin < _PATIENCE):
            return
        if self._progress is None or self._task is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn(self._title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task("", total=total)
            self._progress.start()
        self._progress.update(self._task, completed=done, total=total)
