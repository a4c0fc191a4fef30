"""Models as ONNX files (``snd export``). Needs the extra ``snd[onnx]``."""

from snd_server.export.errors import NotExportable, Problem
from snd_server.export.model_writer import STATE_SUFFIX, write_model

__all__ = ["STATE_SUFFIX", "NotExportable", "Problem", "write_model"]
