"""Graphs and operators exported to ONNX, in onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime

from snd_analysis.compose import Specialization
from snd_analysis.model import Tensor
from snd_analysis.symbolic.values import NULL
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.onnx_export import write_model


def session_of(model: onnx.ModelProto, threads: int = 1) -> onnxruntime.InferenceSession:
    """Return the model in onnxruntime, after a check."""
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class Exported:
    """A graph or operator with these weights in onnxruntime."""

    def __init__(self, specialization: Specialization, variables: Mapping[str, Argument], threads: int = 1) -> None:
        model = write_model(specialization, variables)
        self.session = session_of(model, threads)
        self.names = [each.name for each in model.graph.input]
        self._formals = specialization.inputs

    def feed(self, inputs: Sequence[Argument]) -> dict[str, Any]:
        """Return the inputs by name without constants of the model; tensors of packs follow one another."""
        given: list[Any] = []
        for value, formal in zip(inputs, self._formals, strict=False):
            if formal is NULL or (isinstance(formal, Tensor) and formal.value is not None):
                continue
            given += [value] if value is None or isinstance(value, np.ndarray) else list(value)
        return {name: value for name, value in zip(self.names, given, strict=False) if value is not None}

    def run(self, inputs: Sequence[Argument]) -> list[Any]:
        """Return the outputs, tensors of packs one after the other; new values of variables last."""
        return list(self.session.run(None, self.feed(inputs)))


def flattened(outputs: Mapping[str, Argument]) -> list[Any]:
    """Return the tensors of outputs, tensors of packs one after the other."""
    found: list[Any] = []
    for value in outputs.values():
        if value is not None:
            found += [value] if isinstance(value, np.ndarray) else list(value)
    return found
