"""An engine of others in a process of its own.

A model may take any time or memory to load and to run, and can crash the process. The process is ended at a limit of
time or memory, and the command goes on with a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, field

from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed
from snd_server.limits import MOST_INFERENCE_SECONDS

_MEMORY_OF_TENSORS = 3
"""Factor for the weights: an engine holds the file, its tensors, and some of them in another order."""


class InferenceLimitError(Exception):
    """An engine goes beyond a limit of time or memory with a model."""


class InferenceCrashError(InferenceLimitError):
    """An engine ends its process."""


class InferenceError(Exception):
    """An engine refuses a model or its inputs; the message is its own."""


class EngineAnswer(Struct, frozen=True):
    """The outputs of a run, by name, or an error."""

    outputs: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


class EngineProcess:
    """A process that loads and runs models, one at a time. ``memory_bytes`` are for tensors."""

    def __init__(self, target: str, memory_bytes: int | None) -> None:
        self._memory_bytes = None if memory_bytes is None else memory_bytes * _MEMORY_OF_TENSORS
        self._worker = Worker(target, ProcessLimits(memory_bytes=self._memory_bytes))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._worker.close()

    def start(self) -> None:
        """Begin to start the process, without waiting for it."""
        self._worker.start()

    def ask(self, job: Any, who: str, verb: str) -> EngineAnswer:
        """Return the answer of the process to a job. Raise InferenceError if ``who`` refuses; InferenceLimitError."""
        try:
            done: EngineAnswer = self._worker.call(job, seconds=MOST_INFERENCE_SECONDS)
        except WorkerFailed as failed:
            rest = f": it did not {verb} the model"
            match failed.reason:
                case "time":
                    raise InferenceLimitError(
                        f"{who} was stopped after {MOST_INFERENCE_SECONDS:g} seconds{rest}"
                    ) from None
                case "memory":
                    megabytes = (self._memory_bytes or 0) >> 20
                    raise InferenceLimitError(f"{who} takes more memory than {megabytes:,} MB{rest}") from None
            raise InferenceCrashError(f"{who} crashed ({failed.message}){rest}") from None
        if done.error:
            raise InferenceError(done.error)
        return done
