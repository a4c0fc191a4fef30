"""onnxruntime and ``onnx.checker`` in a process of their own.

A model may take any time or memory to load and to run, and can crash the process: onnxruntime inlines functions of
functions without end, computes large constants while it loads a model, and repeats loops. The process is ended at a
limit of time or memory, and the command goes on with a message.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_server.exchange.engine_process import EngineAnswer, EngineProcess, InferenceError, InferenceLimitError

__all__ = ["Inference", "InferenceError", "InferenceLimitError"]

Array: TypeAlias = np.ndarray[Any, Any]

_TARGET = "snd_server.exchange.inference:make"
_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16, "tensor(int8)": np.int8,
    "tensor(uint64)": np.uint64, "tensor(uint32)": np.uint32, "tensor(uint16)": np.uint16, "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}  # fmt: skip


class _Job(Struct, frozen=True):
    """A model, as a path or its content: to be checked, or to be run on ``feed``."""

    model: str | bytes
    feed: Mapping[str, Array] | None = None
    outputs: Sequence[str] = ()
    optimizes: bool = True
    checks: bool = False


class Inference(EngineProcess):
    """A process that loads and runs ONNX models, one at a time. ``memory_bytes`` are for tensors."""

    def __init__(self, memory_bytes: int | None) -> None:
        super().__init__(_TARGET, memory_bytes)

    def load(self, path: str) -> None:
        """Let onnxruntime load a file. Raises InferenceError if it refuses, and InferenceLimitError."""
        self._done(_Job(path), "load")

    def check(self, path: str) -> None:
        """Let ``onnx.checker`` check a file. Raises InferenceError if it refuses, and InferenceLimitError."""
        self._done(_Job(path, checks=True), "check")

    def run(
        self,
        model: str | bytes,
        feed: Mapping[str, Array],
        outputs: Sequence[str] = (),
        *,
        optimizes: bool = True,
    ) -> dict[str, Any]:
        """Return the outputs of a model by name, all of them unless some are named.

        Inputs that the model does not have are left out, and others converted to its types. Raises InferenceError,
        and InferenceLimitError.
        """
        return dict(self._done(_Job(model, feed, outputs, optimizes), "run").outputs)

    def _done(self, job: _Job, verb: str) -> EngineAnswer:
        return self.ask(job, "onnx.checker" if job.checks else "onnxruntime", verb)


# ---- in the process --------------------------------------------------------------------------------------------------
def make() -> Callable[[_Job, Callable[[Any], None]], EngineAnswer]:
    """Return the handler of the worker, which keeps the last model that it loaded."""
    known: dict[tuple[object, ...], Any] = {}

    def handle(job: _Job, note: Callable[[Any], None]) -> EngineAnswer:
        try:
            if job.checks:
                _check(job.model)
                return EngineAnswer()
            key = (job.model, _version(job.model), job.optimizes)
            if key not in known:
                known.clear()
                known[key] = _session(job)
            session = known[key]
            return EngineAnswer() if job.feed is None else _run(session, job.feed, job.outputs)
        except MemoryError:
            raise
        except Exception as error:  # onnx, protobuf and onnxruntime have exceptions of their own
            if "bad_alloc" in str(error) or "Failed to allocate memory" in str(error):
                raise MemoryError(str(error)) from None
            return EngineAnswer(error=" ".join(str(error).split()))

    return handle


def _check(model: str | bytes) -> None:
    import onnx

    onnx.checker.check_model(model)


def _version(model: str | bytes) -> tuple[int, ...]:
    """Return a number that differs if a file is written again; none for the content of a file."""
    if isinstance(model, bytes):
        return ()
    found = os.stat(model)
    return found.st_mtime_ns, found.st_size, found.st_ino


def _session(job: _Job) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if not job.optimizes:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(job.model, options, providers=["CPUExecutionProvider"])


def _run(session: Any, feed: Mapping[str, Array], outputs: Sequence[str]) -> EngineAnswer:
    declared = (*session.get_inputs(), *session.get_overridable_initializers())
    types = {each.name: each.type for each in declared}
    given = {name: _typed(array, types[name]) for name, array in feed.items() if name in types}
    names = [each.name for each in session.get_outputs() if not outputs or each.name in outputs]
    return EngineAnswer(dict(zip(names, session.run(names, given), strict=True)))


def _typed(array: Array, kind: str) -> Array:
    return array.astype(_TYPES[kind], copy=False) if kind in _TYPES else array
