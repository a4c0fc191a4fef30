"""Models as ONNX files (``snd export``). Needs the extra ``snd[onnx]``."""

from snd_server.exchange.onnx_export.errors import NotExportable, Problem
from snd_server.exchange.onnx_export.model_writer import STATE_SUFFIX, flat_graph, write_model, write_operations

__all__ = ["STATE_SUFFIX", "NotExportable", "Problem", "flat_graph", "write_model", "write_operations"]
