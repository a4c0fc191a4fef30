"""A worker process as a copy of the parent, which has loaded and read already what a fresh interpreter would again."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress


def can_fork() -> bool:
    """Return whether a copy of this process works: on Linux, and without other threads, whose locks it would keep."""
    return sys.platform == "linux" and threading.active_count() == 1


class ForkedProcess:
    """A copy of this process that calls ``serve`` with pipes as standard streams, with methods as of ``Popen``."""

    def __init__(self, serve: Callable[[], None]) -> None:
        requests, own_end = os.pipe()
        answers, their_end = os.pipe()
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _serve(serve, requests, their_end, own_end, answers)
        os.close(requests)
        os.close(their_end)
        self.stdin, self.stdout = os.fdopen(own_end, "wb"), os.fdopen(answers, "rb")

    def poll(self) -> int | None:
        return self._ended(os.WNOHANG)

    def wait(self) -> int:
        found = self._ended(0)
        assert found is not None
        return found

    def kill(self) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _ended(self, options: int) -> int | None:
        if self._status is None:
            pid, status = os.waitpid(self.pid, options)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status


def _serve(serve: Callable[[], None], requests: int, answers: int, *others: int) -> None:
    """Serve in the copy, and end it: nothing that the parent has begun may be finished twice."""
    try:
        os.setsid()  # ctrl-C at the terminal is for the parent only
        os.dup2(requests, 0)
        os.dup2(answers, 1)
        for each in (requests, answers, *others):
            os.close(each)
        serve()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(1)
