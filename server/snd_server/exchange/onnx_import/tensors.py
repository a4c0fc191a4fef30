"""Arrays of ONNX as tensors of SkriptND."""

from __future__ import annotations

import numpy as np

from snd_server.exchange.onnx_import.data import type_name
from snd_server.exchange.onnx_import.source import Array


def tensor_array(array: Array) -> Array:
    """Return an array with elements of a type that SkriptND has; the same array where it has one already.

    Raises UntranslatableError for elements that SkriptND has no type for.
    """
    match type_name(array.dtype):
        case "real":
            return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
        case "int":
            return array if array.dtype == np.int64 else array.astype(np.int64)
        case "str":
            return array.astype(object)
    return array
