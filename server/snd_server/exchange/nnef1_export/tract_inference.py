"""tract, and the parser of Khronos, in a process of their own: tract ends its process where it panics."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_server.exchange.engine_process import EngineAnswer, EngineProcess

Array: TypeAlias = np.ndarray[Any, Any]

_TARGET = "snd_server.exchange.nnef1_export.tract_inference:make"


def has_tract() -> bool:
    """Return whether the package of tract is installed."""
    return find_spec("tract") is not None


def has_khronos_parser() -> bool:
    """Return whether the package of Khronos is installed."""
    return find_spec("nnef") is not None


class _Job(Struct, frozen=True):
    """A model to be loaded, or to be run on ``feed``: an archive or a folder for tract, a folder for Khronos."""

    path: str
    outputs: Sequence[str] = ()
    feed: Sequence[Array] | None = None
    fragments: Sequence[str] | None = None
    """The names of the fragments, for the parser of Khronos; None for tract."""


class TractInference(EngineProcess):
    """A process that loads and runs models in NNEF 1.0, one at a time. ``memory_bytes`` are for tensors."""

    def __init__(self, memory_bytes: int | None) -> None:
        super().__init__(_TARGET, memory_bytes)

    def load(self, path: str) -> None:
        """Let tract load a model, and prepare it for a run. Raise InferenceError, InferenceLimitError."""
        self.ask(_Job(path), "tract", "load")

    def run(self, path: str, feed: Sequence[Array], outputs: Sequence[str]) -> dict[str, Any]:
        """Return the outputs of a model by these names. Raise InferenceError, InferenceLimitError."""
        return dict(self.ask(_Job(path, outputs, feed), "tract", "run").outputs)

    def parse(self, folder: str, fragments: Sequence[str]) -> None:
        """Let the parser of Khronos read a folder. Raise InferenceError, InferenceLimitError."""
        self.ask(_Job(folder, fragments=fragments), "the parser of Khronos", "read")


# ---- in the process --------------------------------------------------------------------------------------------------
def make() -> Callable[[_Job, Callable[[Any], None]], EngineAnswer]:
    """Return the handler of the worker, which keeps the last model that it loaded."""
    known: dict[tuple[object, ...], Any] = {}

    def handle(job: _Job, note: Callable[[Any], None]) -> EngineAnswer:
        try:
            if job.fragments is not None:
                _parse(job.path, job.fragments)
                return EngineAnswer()
            found = os.stat(job.path)
            key = (job.path, found.st_mtime_ns, found.st_size, found.st_ino)
            if key not in known:
                known.clear()
                known[key] = _runnable(job.path)
            return EngineAnswer() if job.feed is None else EngineAnswer(_run(known[key], job.feed, job.outputs))
        except MemoryError:
            raise
        except Exception as error:  # tract and nnef have exceptions of their own
            return EngineAnswer(error=_words(str(error)))

    return handle


def _words(text: str) -> str:
    """Return the message of an error without the stack of its code."""
    return " ".join(text.partition("Stack backtrace")[0].split())


def _parse(folder: str, fragments: Sequence[str]) -> None:
    import nnef

    nnef.infer_shapes(nnef.load_graph(folder, lowered=list(fragments)))


def _runnable(path: str) -> Any:
    import tract

    reader = tract.nnef().with_onnx().with_pulse().with_tract_extra().with_tract_transformers()
    return reader.load(path).into_runnable()


def _run(runnable: Any, feed: Sequence[Array], outputs: Sequence[str]) -> Mapping[str, Array]:
    found = [each.to_numpy() for each in runnable.run(list(feed))]
    return dict(zip(outputs, found, strict=True))
