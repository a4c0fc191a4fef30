"""ONNX models as SkriptND models: read (``model_file``), translated (``translation``), written (``text``)."""

from snd_server.exchange.onnx_import.data import tensor_array
from snd_server.exchange.onnx_import.model_file import OnnxMissingError, read_model, source_of
from snd_server.exchange.onnx_import.source import InvalidModelError, SourceGraph
from snd_server.exchange.onnx_import.text import ConvertedModel, convert_graph
from snd_server.exchange.onnx_import.translation import UntranslatedNode

__all__ = [
    "ConvertedModel",
    "InvalidModelError",
    "OnnxMissingError",
    "SourceGraph",
    "UntranslatedNode",
    "convert_graph",
    "read_model",
    "source_of",
    "tensor_array",
]
