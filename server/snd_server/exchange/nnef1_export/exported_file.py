"""An exported model in NNEF 1.0, run by tract, or by snd's own reader of NNEF 1.0."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np

from snd_analysis.base import OperatorName
from snd_analysis.nnef1.syntax import Dialect
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from snd_runtime.lowering.lowered import Argument
from snd_server.checking.checker import Checker
from snd_server.exchange.engine_process import InferenceError
from snd_server.exchange.export_comparison import Chosen
from snd_server.exchange.nnef1_export.model_writer import write_model
from snd_server.exchange.nnef1_export.packing import GRAPH, write_folder
from snd_server.exchange.nnef1_export.scope import Nnef1Model
from snd_server.exchange.nnef1_export.tract_inference import TractInference
from snd_server.running.weights import stored_weights
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings

_OPEN = frozenset(
    {
        "argmax_reduce", "argmin_reduce", "clamp", "conv", "deconv", "leaky_relu", "max", "max_pool", "max_reduce",
        "min", "min_reduce", "prelu", "relu", "round", "select", "sigmoid", "sign", "softmax", "tanh", "tract_core_erf",
        "tract_core_resize", "tract_core_topk",
    }
)  # fmt: skip
"""Operations whose results for NaN or infinities NNEF 1.0 leaves open."""


class Nnef1File:
    """A model that was written for a graph with these variables, in a new folder of ``folder``."""

    engine = ""

    def __init__(self, model: Nnef1Model, chosen: Chosen, variables: Mapping[str, Argument], folder: str) -> None:
        self._chosen = chosen
        self._variables = variables
        self._folder = folder
        self._numbers = count()
        self._model = model
        self._path = self._written(model)
        self._traced: Nnef1Model | None = None
        self.inputs = list(model.inputs)
        self.outputs = list(model.outputs)
        self.has_few_bits = model.has_few_bits

    def _written(self, model: Nnef1Model) -> str:
        path = os.path.join(self._folder, f"{self.engine}{next(self._numbers)}")
        write_folder(model, path)
        return path

    def run(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the outputs by name. Raise InferenceError, InferenceLimitError."""
        return self._outputs_of(self._path, self._model, {**self._model.defaults, **feed})

    def trace(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return all named tensors. Raise as ``run``."""
        chosen = self._chosen
        specialization, quantizing = chosen.specialization, chosen.session if chosen.is_quantized else None
        self._traced = write_model(
            specialization, self._variables, self._model.dialect, flat=True, traced=True, quantizing=quantizing
        )
        found = self._outputs_of(self._written(self._traced), self._traced, {**self._traced.defaults, **feed})
        names = {written: name for name, written in self._traced.traced.items()}
        return {**found, **{names[written]: value for written, value in found.items() if written in names}}

    def state(self, name: str) -> str:
        """Return the name of the output with the new value of a variable: there is none."""
        return name

    def is_open(self, tensor: str) -> bool:
        """Return whether an operation whose results NNEF 1.0 leaves open computes a tensor of the last trace."""
        assert self._traced is not None
        return self._traced.makers.get(self._traced.traced.get(tensor, tensor)) in _OPEN

    def _outputs_of(self, folder: str, model: Nnef1Model, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        raise NotImplementedError


class FileInTract(Nnef1File):
    """A model that tract runs."""

    engine = "tract"

    def __init__(
        self,
        model: Nnef1Model,
        chosen: Chosen,
        variables: Mapping[str, Argument],
        folder: str,
        inference: TractInference,
    ) -> None:
        super().__init__(model, chosen, variables, folder)
        self._inference = inference

    def _outputs_of(self, folder: str, model: Nnef1Model, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._inference.run(folder, [_for_tract(feed[name]) for name in model.inputs], model.outputs)


class FileInSnd(Nnef1File):
    """A model that snd reads and runs."""

    engine = "snd's reader of NNEF 1.0"

    def _outputs_of(self, folder: str, model: Nnef1Model, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        path = os.path.join(folder, GRAPH)
        snapshot = Checker(Configurations(settings_of(folder, model.dialect)), RuleSettings()).snapshot(path)
        graph = OperatorName(path, snapshot.main_graphs(path)[0].name.text)
        weights = stored_weights(snapshot, path, 1 << 40)
        given = {name: np.asarray(value) for name, value in feed.items()}
        request = EvaluationRequest(graph, inputs=given, weights=dict(weights), keep=True)
        answer = evaluate(snapshot, request, lambda note: None)
        if answer.failures:
            raise InferenceError(answer.failures[0].message)
        return {name: np.asarray(value) for name, value in (answer.arrays or {}).items()}


def settings_of(folder: str, dialect: Dialect) -> str:
    """Write settings for a dialect beside a folder; return their path."""
    path = f"{folder}.toml"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(f'dialect = "{dialect.value}"\n')
    return path


def _for_tract(array: Any) -> Any:
    found = np.asarray(array)
    return np.array(found, np.float32 if found.dtype == np.float64 else found.dtype, order="C")
