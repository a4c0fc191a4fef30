"""Programs exported by PyTorch as SkriptND models: read (``program``), and translated (``operations``)."""

from snd_server.exchange.onnx_import.node import DOMAIN_TRANSLATIONS
from snd_server.exchange.onnx_import.source import EXPORTED_PROGRAM
from snd_server.exchange.torch_import import operations as _operations  # noqa: F401 - registers the translations
from snd_server.exchange.torch_import.archive import ArchivedTensor, ProgramArchive
from snd_server.exchange.torch_import.call import translated
from snd_server.exchange.torch_import.program import read_program

DOMAIN_TRANSLATIONS[EXPORTED_PROGRAM] = translated

__all__ = ["ArchivedTensor", "ProgramArchive", "read_program"]
