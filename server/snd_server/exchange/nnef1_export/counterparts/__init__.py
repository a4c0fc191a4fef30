"""Operators of the libraries that operations of NNEF 1.0 can take the place of (docs/nnef1.md), by subject."""

from snd_server.exchange.nnef1_export.counterparts import (
    arithmetic,
    images,
    layout,
    networks,
    onnx_module,
    own_operations,
    quantization,
    reductions,
    windows,
)
from snd_server.exchange.nnef1_export.counterparts.own_operations import is_own_module, operation_names, write_own

__all__ = [
    "arithmetic",
    "images",
    "is_own_module",
    "layout",
    "networks",
    "onnx_module",
    "operation_names",
    "own_operations",
    "quantization",
    "reductions",
    "windows",
    "write_own",
]
