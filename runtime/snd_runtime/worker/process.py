"""The parent's side of a worker process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Any, BinaryIO, cast

from snd_runtime.worker.channel import Kind, Message, receive, send
from snd_runtime.worker.child import main
from snd_runtime.worker.forked import ForkedProcess, can_fork
from snd_runtime.worker.limits import ProcessLimits, thread_count

_START_SECONDS = 60.0
# A fresh interpreter, as multiprocessing spawns them; but that would run the parent's main module again, has no way to
# set what NumPy needs before that imports it, and leaves the child the standard streams.
_PROGRAM = """\
import sys
target, memory, threads, *sys.path = sys.argv[1:]
from snd_runtime.worker.child import main
main(target, int(memory) if memory else None, int(threads))
"""


class WorkerFailed(Exception):  # noqa: N818
    """A request has no answer. ``reason`` is ``time``, ``memory``, ``stopped``, ``died`` or ``fault``.

    ``detail`` is for the log: a traceback for ``fault``, how the process ended for ``died``.
    """

    def __init__(self, reason: str, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.detail = detail


class Worker:
    """A process that serves requests, one at a time, and its replacements.

    ``target`` is ``module:function``, see ``child``. A process that was killed or died is replaced: at once with
    ``keep_ready``, else by the next request. ``generation`` counts the processes: a new one knows nothing of earlier
    requests. With ``forks``, the process is a copy of this one where that works, made by the first request.
    """

    def __init__(
        self, target: str, limits: ProcessLimits | None = None, *, keep_ready: bool = False, forks: bool = False
    ) -> None:
        self.generation = 0
        self._target = target
        self._limits = limits or ProcessLimits()
        self._keep_ready = keep_ready
        self._forks = forks
        self._busy = threading.Lock()
        self._guard = threading.Lock()
        self._process: _Process | None = None
        self._number = 0
        self._closed = False

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin to start the process, if there is none, without waiting for it.

        A copy is made by the first request: it has all modules that are loaded by then.
        """
        if not self._forks:
            self._running()

    def wait(self) -> None:
        """Wait until the process is ready; it is started if there is none. Raise WorkerFailed."""
        with self._busy:
            process = self._running()
            try:
                process.wait_until_ready()
            except BaseException:
                self._discard(process)
                raise

    def call(self, request: Any, *, seconds: float | None = None, note: Callable[[Any], None] | None = None) -> Any:
        """Return the answer to a request.

        ``seconds`` count from when the process is ready. ``note`` is called with messages before the answer.
        ``request`` may be a function of the generation of the process, whose state decides about the content.
        Raise WorkerFailed; the next call works. Calls from several threads wait for one another.
        """
        with self._busy:
            process = self._running()
            try:
                return self._answer(process, request, seconds, note)
            except BaseException as error:
                # Without a fault in the work itself, the state of the process is unknown: end it.
                if not (isinstance(error, WorkerFailed) and error.reason == "fault"):
                    self._discard(process)
                raise

    def stop(self) -> None:
        """Kill the process, from any thread: waiting for its answer raises WorkerFailed. A new process replaces it."""
        with self._guard:
            process = self._process
        if process is not None:
            process.stopped = True
            self._discard(process)

    def limit(self, limits: ProcessLimits) -> None:
        """Set other limits: a process that was started with different ones is replaced, even during a request."""
        if limits != self._limits:
            self._limits = limits
            self.stop()

    def close(self) -> None:
        """Kill the process for good."""
        self._closed = True
        self.stop()

    def _running(self) -> _Process:
        with self._guard:
            if self._closed:
                raise WorkerFailed("stopped", "the worker is closed")
            if self._process is not None and not self._process.is_alive():
                self._process.kill()  # no question waits for its answer
                self._process = None
            if self._process is None:
                self.generation += 1
                self._process = _Process(self._target, self._limits, self._forks and can_fork())
            return self._process

    def _discard(self, process: _Process) -> None:
        with self._guard:
            if self._process is process:
                self._process = None
        process.kill()
        if self._keep_ready and not self._closed:
            self.start()

    def _answer(
        self, process: _Process, request: Any, seconds: float | None, note: Callable[[Any], None] | None
    ) -> Any:
        process.wait_until_ready()
        self._number += 1
        process.send((self._number, request(self.generation) if callable(request) else request))
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            message = process.next(None if end is None else end - time.monotonic())
            if message is None:
                raise WorkerFailed("time", f"it takes longer than the {seconds:g} seconds that are allowed")
            if message.kind is Kind.NOTE:
                if note is not None:
                    note(message.content)
            elif message.kind is Kind.ANSWER:
                return message.content
            elif message.kind is Kind.OUT_OF_MEMORY:
                raise WorkerFailed("memory", _memory_message(self._limits), message.content)
            elif message.kind is Kind.FAULT:
                last = message.content.strip().rpartition("\n")[2]
                raise WorkerFailed("fault", f"the evaluation itself failed ({last})", message.content)


class _Process:
    """One process, and a thread that reads its output."""

    def __init__(self, target: str, limits: ProcessLimits, forks: bool) -> None:
        self.stopped = False
        threads = thread_count(limits)
        self._process: ForkedProcess | subprocess.Popen[bytes]
        if forks:
            self._process = ForkedProcess(lambda: main(target, limits.memory_bytes, threads))
        else:
            self._process = _fresh(target, limits.memory_bytes, threads)
        self._requests = cast(BinaryIO, self._process.stdin)
        self._messages: SimpleQueue[Message | None] = SimpleQueue()
        self._ready = False
        answers = cast(BinaryIO, self._process.stdout)
        threading.Thread(target=_read, args=(answers, self._messages), daemon=True).start()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        if self._ready:
            return
        message = self.next(_START_SECONDS)
        if message is None:
            raise WorkerFailed("died", f"no worker process got ready within {_START_SECONDS:g} seconds")
        self._ready = True

    def send(self, request: Any) -> None:
        try:
            send(self._requests, request)
        except OSError:
            raise self._ended() from None

    def next(self, seconds: float | None) -> Message | None:
        """Return the next message; None if there is none in time."""
        try:
            message = self._messages.get(timeout=None if seconds is None else max(seconds, 0.0))
        except Empty:
            return None
        if message is None:
            raise self._ended()
        return message

    def kill(self) -> None:
        """End the process if it has not ended, and take note of its end, so that no zombie stays."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # unsent data are lost
            cast("IO[bytes]", self._process.stdin).close()

    def _ended(self) -> WorkerFailed:
        if self.stopped:
            return WorkerFailed("stopped", "it was stopped")
        status = self._process.wait()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return WorkerFailed("died", f"the process that evaluates it ended ({how})", how)


def _fresh(target: str, memory_bytes: int | None, threads: int) -> subprocess.Popen[bytes]:
    """Start an interpreter that serves."""
    memory = "" if memory_bytes is None else str(memory_bytes)
    path = [folder for folder in sys.path if folder]  # "" is the current folder, where anything may lie
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, target, memory, str(threads), *path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=os.name == "posix",  # ctrl-C at the terminal is for the parent only
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _read(answers: BinaryIO, messages: SimpleQueue[Message | None]) -> None:
    with answers, suppress(EOFError, OSError):
        while True:
            messages.put(receive(answers))
    messages.put(None)


def _memory_message(limits: ProcessLimits) -> str:
    if limits.memory_bytes is None:
        return "there is not enough memory for it"
    return f"it takes more memory than the {limits.memory_bytes >> 20:,} MB that are allowed"
