"""A Python file that was written for a graph, run by PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from snd_server.exchange.engine_process import InferenceError
from snd_server.exchange.torch_export.model_writer import PythonModel
from snd_server.extras import demand_torch

STATE_SUFFIX = ".next"


class TorchFile:
    """A file that snd wrote, in this process: it has only statements that snd writes."""

    engine = "PyTorch"
    has_few_bits = False

    def __init__(self, path: str, model: PythonModel) -> None:
        """Prepare a file. Raise MissingExtraError if PyTorch is not installed."""
        demand_torch()
        self._path = path
        self._model = model
        self.inputs = list(model.inputs)
        self.outputs = [*model.outputs, *(f"{name}{STATE_SUFFIX}" for name in model.states)]

    def run(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the outputs by name. Raise InferenceError."""
        import torch

        try:
            names: dict[str, Any] = {"__file__": self._path}
            exec(compile(self._model.text, self._path, "exec"), names)
            module = names["model"]()
            module.eval()
            given = [torch.from_numpy(np.array(feed[name])) for name in self.inputs]
            with torch.no_grad():
                results = module(*given)
        except Exception as error:  # torch has no base class of its errors
            raise InferenceError(f"{type(error).__name__}: {error}") from None
        found = results if isinstance(results, tuple) else (results,)
        arrays = dict(zip(self._model.outputs, map(_array, found), strict=True))
        state = module.state_dict()
        return {**arrays, **{f"{name}{STATE_SUFFIX}": _array(state[key]) for name, key in self._model.states.items()}}

    def trace(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return no tensors on the way: the functions of the file do not show theirs."""
        return {}

    def state(self, name: str) -> str:
        """Return the name of the output with the new value of a variable."""
        return f"{name}{STATE_SUFFIX}"

    def is_open(self, tensor: str) -> bool:
        """Return True: the functions of PyTorch differ for NaN as those of onnxruntime do."""
        return True


def _array(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(value.detach().numpy())
