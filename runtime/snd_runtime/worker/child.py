"""The main loop of a worker process: requests come in, answers go out, one at a time.

Nothing is imported here that imports NumPy, because its number of threads is set first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeAlias

from snd_analysis.base import checked_by
from snd_runtime.worker.channel import Kind, Message, receive, send
from snd_runtime.worker.limits import DEEPEST_RECURSION, limit_threads

SendNote: TypeAlias = Callable[[Any], None]
Handler: TypeAlias = Callable[[Any, SendNote], Any]
"""A function that handles a request; the second argument sends an intermediate message."""

_SPARE_BYTES = 256 << 20
"""Address space that is reserved and unused: arenas of threads, buffers for products of matrices."""


def main(target: str, memory_bytes: int | None, threads: int) -> None:
    """Serve until the parent closes its end, or is gone.

    ``target`` is ``module:function``; the function makes the handler, once, so that its caches stay warm.
    """
    requests, answers = _own_channels()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal interrupts the parent, which ends this process
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST_RECURSION))
    limit_threads(threads)
    module, _, function = target.partition(":")
    handler: Handler = getattr(import_module(module), function)()
    _warm_up()
    if memory_bytes is not None:
        _limit_memory(memory_bytes)
    send(answers, Message(Kind.READY, 0))
    with checked_by(lambda: None):  # a copy of a process has the checkpoint of what that one does
        _serve(handler, requests, answers)


def _own_channels() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output as the channel, which nothing else may read or write."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return requests, answers


def _warm_up() -> None:
    """Compute a product of matrices: the first one creates the threads and buffers of all others."""
    import numpy as np

    square = np.ones((512, 512), np.float32)
    square @ square


def _limit_memory(memory_bytes: int) -> None:
    with suppress(ImportError, OSError, ValueError):  # there is no such limit on this system, or a lower one is set
        import resource

        with open("/proc/self/statm", encoding="ascii") as measures:
            taken = int(measures.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory_bytes + _SPARE_BYTES,) * 2)


def _serve(handler: Handler, requests: BinaryIO, answers: BinaryIO) -> None:
    incoming: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    threading.Thread(target=_read, args=(requests, incoming), daemon=True).start()
    while True:
        number, request = incoming.get()
        send(answers, _done(handler, number, request, answers))


def _read(requests: BinaryIO, incoming: SimpleQueue[tuple[int, Any]]) -> None:
    """Beside the work, so that the end of the parent ends it."""
    try:
        while True:
            incoming.put(receive(requests))
    finally:
        os._exit(0)


def _done(handler: Handler, number: int, request: Any, answers: BinaryIO) -> Message:
    def note(content: Any) -> None:
        send(answers, Message(Kind.NOTE, number, content))

    try:
        return Message(Kind.ANSWER, number, handler(request, note))
    except MemoryError as error:
        return Message(Kind.OUT_OF_MEMORY, number, str(error))
    except Exception:
        import traceback

        return Message(Kind.FAULT, number, traceback.format_exc())
