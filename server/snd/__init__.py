"""The Python interface of snd: load a model, look at it, run it with NumPy arrays.

``docs/python.md`` shows how. The names in ``__all__`` are stable: they change only with the major version.
"""

from snd.conversion import Conversion, convert
from snd.errors import (
    ArgumentError,
    ConversionError,
    Diagnostic,
    ExportError,
    ModelError,
    WeightsError,
    WeightsWarning,
)
from snd.loading import load
from snd.model import Model, TensorType
from snd.tensors import Results, Tensor
from snd.torch_modules import from_torch
from snd_runtime.execution import WeightUse
from snd_server import __version__

__all__ = [
    "ArgumentError",
    "Conversion",
    "ConversionError",
    "Diagnostic",
    "ExportError",
    "Model",
    "ModelError",
    "Results",
    "Tensor",
    "TensorType",
    "WeightUse",
    "WeightsError",
    "WeightsWarning",
    "__version__",
    "convert",
    "from_torch",
    "load",
]
