"""Models as ONNX files (``snd export``). Needs the extra ``snd[onnx]``."""

from snd_server.exchange.graph_export.errors import ExportProblem, NotExportable
from snd_server.exchange.onnx_export.acceptance import accept, refused
from snd_server.exchange.onnx_export.model_writer import (
    STATE_SUFFIX,
    write_model,
    write_operations,
)
from snd_server.exchange.onnx_export.scope import fit_name

__all__ = [
    "STATE_SUFFIX",
    "ExportProblem",
    "NotExportable",
    "accept",
    "fit_name",
    "refused",
    "write_model",
    "write_operations",
]  # fmt: skip
