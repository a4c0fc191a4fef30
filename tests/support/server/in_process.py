"""Work of a worker process, done in this process: a test of printed output needs no process of its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from snd_runtime.worker import ProcessLimits


class InProcessWorker:
    """Stands in for ``snd_runtime.worker.Worker``. Nothing here can be killed or limited."""

    generation = 1

    def __init__(
        self, target: str, limits: ProcessLimits | None = None, *, keep_ready: bool = False, forks: bool = False
    ) -> None:
        module, _, function = target.partition(":")
        self._handler = getattr(import_module(module), function)()

    def __enter__(self) -> InProcessWorker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def start(self) -> None:
        """There is nothing to start."""

    def close(self) -> None:
        """There is nothing to end."""

    def call(self, request: Any, *, seconds: float | None = None, note: Callable[[Any], None] | None = None) -> Any:
        """Return the answer to a request."""
        return self._handler(request(self.generation) if callable(request) else request, note or (lambda note: None))
