"""Work that no fork may interrupt.

A forked child has only the thread that forked. Locks of other threads stay locked in the child, and their changes stay
half done: answers of queries, modules that are being imported, memory of compiled steps. So a fork waits until no other
thread is at such work.
"""

from __future__ import annotations

import os
from threading import Condition, Lock, get_ident

_PATIENCE_SECONDS = 60.0
"""Time that a fork waits for the work of other threads. After that, snd refuses to work in the child."""


class InterruptedByForkError(RuntimeError):
    """A fork of this process during work of another thread, which can't be completed here."""

    def __init__(self) -> None:
        super().__init__(
            f"this process was forked while another thread was loading or running a model for more than "
            f"{_PATIENCE_SECONDS:g} seconds, so snd can't work here: fork before, or start processes by 'spawn'"
        )


class Unforkable:
    """A context manager around work that no fork may interrupt. It is reentrant for each thread."""

    def __init__(self) -> None:
        self._changed = Condition(Lock())
        self._depths: dict[int, int] = {}
        """Number of times that each thread has entered."""
        self._forking = 0
        """Number of threads that wait to fork: nobody else enters meanwhile."""
        self._is_interrupted = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before, after_in_parent=self._after_in_parent, after_in_child=self._after_in_child
            )

    def __enter__(self) -> None:
        """Raise InterruptedByForkError in a child that has the interrupted work of a thread of its parent."""
        thread = get_ident()
        depth = self._depths.get(thread, 0)
        if depth:
            self._depths[thread] = depth + 1
            return
        if self._is_interrupted:
            raise InterruptedByForkError
        with self._changed:
            self._changed.wait_for(lambda: not self._forking)
            self._depths[thread] = 1

    def __exit__(self, *exception: object) -> None:
        thread = get_ident()
        if self._depths[thread] > 1:
            self._depths[thread] -= 1
            return
        with self._changed:
            del self._depths[thread]
            self._changed.notify_all()

    def _others(self) -> bool:
        """Return whether other threads are at work."""
        return bool(self._depths.keys() - {get_ident()})

    def _before(self) -> None:
        self._changed.acquire()
        self._forking += 1
        self._changed.wait_for(lambda: not self._others(), _PATIENCE_SECONDS)

    def _after_in_parent(self) -> None:
        self._forking -= 1
        self._changed.notify_all()
        self._changed.release()

    def _after_in_child(self) -> None:
        self._is_interrupted = self._is_interrupted or self._others()
        self._depths = {thread: depth for thread, depth in self._depths.items() if thread == get_ident()}
        self._forking = 0
        self._changed = Condition(Lock())


UNFORKABLE = Unforkable()
"""Work on the state that all of snd shares in a process."""
