"""An exported ONNX file, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snd_runtime.lowering.lowered import Argument
from snd_server.exchange import special_values
from snd_server.exchange.export_comparison import Chosen
from snd_server.exchange.inference import Inference


class OnnxFile:
    """A file that was written for a graph with these variables."""

    engine = "onnxruntime"

    def __init__(self, path: str, chosen: Chosen, variables: Mapping[str, Argument], inference: Inference) -> None:
        import onnx

        self._path = path
        self._chosen = chosen
        self._variables = variables
        self._inference = inference
        self._traced: Any = None
        model = onnx.load(path, load_external_data=False)
        self.inputs = [each.name for each in model.graph.input]
        self.outputs = [each.name for each in model.graph.output]
        nodes = (node for each in (model.graph, *model.functions) for node in each.node)
        self.has_few_bits = any(node.op_type == "QuantizeLinear" for node in nodes)

    def run(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the outputs by name. Raise InferenceError, InferenceLimitError."""
        return self._inference.run(self._path, feed)

    def trace(self, feed: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return all named tensors. Raise as ``run``."""
        from snd_server.exchange.onnx_export import write_model

        chosen = self._chosen
        quantizing = chosen.session if chosen.is_quantized else None
        self._traced = write_model(chosen.specialization, self._variables, traced=True, quantizing=quantizing)
        return self._inference.run(self._traced.SerializeToString(), feed)

    def state(self, name: str) -> str:
        """Return the name of the output with the new value of a variable."""
        from snd_server.exchange.onnx_export import STATE_SUFFIX, fit_name

        return f"{fit_name(name)}{STATE_SUFFIX}"

    def is_open(self, tensor: str) -> bool:
        """Return whether a node whose results ONNX leaves open computes a tensor of the last trace."""
        return special_values.is_open(self._traced, tensor)
