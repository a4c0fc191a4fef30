"""Work on many files by several processes at once.

The processes are forks: each has all loaded and read data. If processes cannot be forked, or there is too little work,
this process does all of it. It also repeats work that failed in another process.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

_WORTHWHILE = 100_000
"""Number of characters that are worth a process, which analyses imported files again."""

Work = Callable[[str], Any]
"""A function that returns results about a file, as plain data."""


def in_parallel(
    work: Work, sizes: Mapping[str, int], tracked: Callable[[Sequence[str]], Iterable[str]] = iter
) -> dict[str, Any]:
    """Return the result of ``work`` for each of the files, in their order.

    ``sizes`` has the number of characters of each file. ``tracked`` receives all files and yields them one by one.
    """
    results: dict[str, Any] = {}
    with _begun(work, sizes) as futures:
        for path in tracked(list(sizes)):
            if path in futures:
                with suppress(Exception):  # a process was killed, or the work failed and is going to fail here
                    results[path] = futures[path].result()
            if path not in results:
                results[path] = work(path)
    return results


@contextmanager
def _begun(work: Work, sizes: Mapping[str, int]) -> Iterator[dict[str, Future[Any]]]:
    """Yield the work on each file, large files first; nothing if there are no processes for it."""
    count = min(_processors(), len(sizes), sum(sizes.values()) // _WORTHWHILE)
    if count < 2:
        yield {}
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    others = set(multiprocessing.active_children())
    futures: dict[str, Future[Any]] = {}
    try:
        with ProcessPoolExecutor(count, multiprocessing.get_context("fork"), _begin, (work,)) as pool:
            try:
                with suppress(OSError):  # no more processes are available
                    futures = {path: pool.submit(_do, path) for path in sorted(sizes, key=lambda path: -sizes[path])}
                yield futures
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                _kill(others)  # otherwise the pool would wait for running work
                raise
    finally:
        _kill(others)


def _kill(others: set[Any]) -> None:
    """End the processes of the pool; ``others`` are not among them."""
    import multiprocessing

    for process in set(multiprocessing.active_children()) - others:
        process.kill()
        process.join()


def _processors() -> int:
    if not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_work: Work
"""Work of a process of the pool. A fork inherits it; it could not be sent."""


def _begin(work: Work) -> None:
    """Prepare a process of the pool, which ends with its parent, for whatever reason that ends."""
    global _work
    _work = work
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _do(path: str) -> Any:
    return _work(path)
