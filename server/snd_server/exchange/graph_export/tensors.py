"""Facts about the tensors of a composed graph that an export needs: shapes, ranks, values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_runtime.execution.plain import plain
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.graph_export.errors import Unsuitable

NUMPY: Mapping[str, Any] = {"real": np.float32, "int": np.int64, "bool": np.bool_, "str": np.object_}


def static_shape(tensor: TensorValue) -> tuple[int, ...]:
    """Return the extents of a tensor. Raise Unsuitable if one is not known before the run."""
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        raise Unsuitable("the shape of a tensor is not known")
    found = []
    for extent in tensor.shape:
        if not isinstance(extent, Integer) or extent.value is None:
            raise Unsuitable(f"an extent of '{tensor.name}' is known in the run only")
        found.append(extent.value)
    return tuple(found)


def is_static(tensor: Tensor) -> bool:
    """Return whether all extents of a tensor are numbers."""
    return all(isinstance(each, Integer) and each.value is not None for each in tensor.shape or ())


def rank_of(tensor: TensorValue) -> int:
    """Return the number of dimensions. Raise Unsuitable if it is not known."""
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        raise Unsuitable("the rank of a tensor is not known")
    if not all(isinstance(extent, Integer) for extent in tensor.shape):
        raise Unsuitable(f"the rank of '{tensor.name}' is not known before the run")
    return len(tensor.shape)


def constant_array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """Return the elements of a tensor that has a value. Raise Unsuitable for any other."""
    if tensor.value is None or tensor.dtype is None:
        raise Unsuitable(f"the value of '{tensor.name}' is not known before the run")
    try:
        elements = np.asarray(plain(tensor.value), NUMPY[tensor.dtype])
    except (ValueError, OverflowError):
        raise Unsuitable(f"the value of '{tensor.name}' is not known before the run") from None
    shape = static_shape(tensor)
    whole = elements.reshape(shape) if elements.ndim else np.full(shape, elements)
    return whole.astype(NUMPY[tensor.dtype])


def arrays_of_variable(name: str, value: TensorValue, given: Mapping[str, Argument]) -> list[Any]:
    """Return an array for each tensor of a variable, None for one without a value."""
    found = given.get(name)
    if isinstance(found, np.ndarray):
        return [found]
    if found is not None:
        return list(found)
    if isinstance(value, Tensor):
        return [None]
    return [given.get(f"{name}[{at}]") for at, _ in enumerate(tensors_of(value))]
