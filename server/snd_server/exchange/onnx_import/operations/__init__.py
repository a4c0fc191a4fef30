"""Translations of the kinds of nodes, a module for each family. Importing the package registers all."""

from snd_server.exchange.onnx_import.operations import (
    bits,
    control,
    elementwise,
    images,
    indexing,
    layout,
    networks,
    products,
    quantization,
    recurrent,
    reductions,
    sequences,
    windows,
)

__all__ = [
    "bits",
    "control",
    "elementwise",
    "images",
    "indexing",
    "layout",
    "networks",
    "products",
    "quantization",
    "recurrent",
    "reductions",
    "sequences",
    "windows",
]
