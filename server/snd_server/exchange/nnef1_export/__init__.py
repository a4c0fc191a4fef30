"""Models as NNEF 1.0 (``snd export -o NAME.nnef.tgz``), in Khronos' dialect and in tract's."""

from snd_server.exchange.nnef1_export.model_writer import write_model
from snd_server.exchange.nnef1_export.scope import Nnef1Model

__all__ = ["Nnef1Model", "write_model"]
