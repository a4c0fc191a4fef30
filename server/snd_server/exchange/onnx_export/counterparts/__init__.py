"""Operators of the library that nodes of ONNX can take the place of (docs/onnx.md), by subject."""

from snd_server.exchange.onnx_export.counterparts import (
    arithmetic,
    images,
    layout,
    networks,
    onnx_module,
    quantization,
    reductions,
    windows,
)

__all__ = ["arithmetic", "images", "layout", "networks", "onnx_module", "quantization", "reductions", "windows"]
