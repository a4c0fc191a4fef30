"""Work of the worker processes of tests: things that no evaluation should do."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def make() -> Callable[[Any, Callable[[Any], None]], Any]:
    """Return a handler that follows its requests, and counts them."""
    count = 0

    def handle(request: tuple[str, Any], note: Callable[[Any], None]) -> Any:
        nonlocal count
        count += 1
        what, argument = request
        return count if what == "count" else _ACTIONS[what](argument, note)

    return handle


def fail_to_start() -> Any:
    raise RuntimeError("not today")


def _loop(argument: Any, note: Callable[[Any], None]) -> None:
    note("begun")
    while True:
        pass


def _sleep(seconds: float, note: Callable[[Any], None]) -> str:
    note("asleep")
    time.sleep(seconds)
    return "slept"


def _facts(argument: Any, note: Callable[[Any], None]) -> dict[str, Any]:
    print("this must not be seen")
    return {
        "pid": os.getpid(),
        "stdin": sys.stdin.read(),
        "threads": os.environ["OPENBLAS_NUM_THREADS"],
        "interrupts": signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
        "leads its session": not hasattr(os, "getsid") or os.getsid(0) == os.getpid(),
    }


def _notes(number: int, note: Callable[[Any], None]) -> str:
    for each in range(number):
        note(each)
    return "done"


_ACTIONS: dict[str, Callable[[Any, Callable[[Any], None]], Any]] = {
    "echo": lambda argument, note: argument,
    "loop": _loop,
    "sleep": _sleep,
    "exit": lambda status, note: os._exit(status),
    "signal": lambda number, note: os.kill(os.getpid(), number),
    "raise": lambda message, note: (_ for _ in ()).throw(RuntimeError(message)),
    "allocate": lambda count, note: int(np.ones(count, np.int8)[-1]),
    "facts": _facts,
    "notes": _notes,
}
