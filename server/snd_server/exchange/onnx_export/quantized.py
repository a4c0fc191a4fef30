"""Tensors that ``@quantize`` names: linear quantization as ``QuantizeLinear`` and ``DequantizeLinear`` (QDQ)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.compose import Specialization
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.skriptnd.names import OperatorName
from snd_server.exchange.onnx_export.scope import NodeScope

_MODULE = "snd:quant"


class Linear(Struct, frozen=True):
    """Integers from ``low`` to ``high`` that represent ``(integer - zero_point) * scale``."""

    scale: np.ndarray[Any, Any]
    zero_point: np.ndarray[Any, Any]
    low: int
    high: int
    axis: int
    """The dimension along which scales differ."""

    @property
    def storage(self) -> Any:
        """The type of the integers. ONNX has 8 bits in all operator sets."""
        return np.int8 if self.low < 0 else np.uint8


def linear_of(callee: Specialization, attributes: Mapping[str, Any], tensor: Tensor) -> Linear | None:
    """Return the linear quantization of an algorithm for a tensor; None if 8 bits don't suffice, or for another one."""
    name = callee.template.original or callee.template.name
    if name == OperatorName(_MODULE, "zero_point_linear_quantize"):
        found = _of_zero_point(attributes)
    elif name == OperatorName(_MODULE, "min_max_linear_quantize"):
        found = _of_range(attributes)
    else:
        return None
    if found is None:
        return None
    least, most = np.iinfo(found.storage).min, np.iinfo(found.storage).max
    integers = [found.zero_point.min(initial=0), found.zero_point.max(initial=0), found.low, found.high]
    fits = least <= min(integers) and max(integers) <= most
    return found if fits and (not found.scale.ndim or _may_vary(tensor, found.axis)) else None


def _may_vary(tensor: Tensor, axis: int) -> bool:
    """Return whether engines know scales along a dimension of a tensor: of weights, of filters along the first one."""
    rank = len(tensor.shape or ())
    is_weight = tensor.kind in (TensorKind.VARIABLE, TensorKind.CONSTANT)
    return is_weight and (axis in (0, -rank) or (rank == 2 and axis in (1, -1)))


def write_linear(scope: NodeScope, linear: Linear, name: str, rank: int) -> str:
    """Write a tensor as its quantized version; return the name of that."""
    least, most = np.iinfo(linear.storage).min, np.iinfo(linear.storage).max
    if linear.low > least:  # the nodes clamp to all that the type holds
        name = scope.node("Max", [name, _bound(scope, linear, linear.low, rank)])
    if linear.high < most:
        name = scope.node("Min", [name, _bound(scope, linear, linear.high, rank)])
    scale = scope.constant(linear.scale, np.float32, "scale")
    zero_point = scope.constant(linear.zero_point, linear.storage, "zero_point")
    axis = linear.axis if linear.scale.ndim else None
    stored = scope.node("QuantizeLinear", [name, scale, zero_point], axis=axis)
    return scope.node("DequantizeLinear", [stored, scale, zero_point], axis=axis)


def _bound(scope: NodeScope, linear: Linear, integer: int, rank: int) -> str:
    values = (integer - linear.zero_point.astype(np.float64)) * linear.scale
    if values.ndim:
        shape = [1] * rank
        shape[linear.axis] = values.size
        values = values.reshape(shape)
    return scope.constant(values, np.float32)


def _of_zero_point(attributes: Mapping[str, Any]) -> Linear | None:
    bits, is_signed = attributes["bits"], attributes["signed"]
    high = 2 ** (bits - 1) - 1 if is_signed else 2**bits - 1
    low = 0 if not is_signed else -high if attributes["symmetric"] else -high - 1
    return _linear(
        np.asarray(attributes["scale"], np.float64), np.asarray(attributes["zero_point"]), low, high, attributes
    )


def _of_range(attributes: Mapping[str, Any]) -> Linear | None:
    bits, is_signed, is_symmetric = attributes["bits"], attributes["signed"], attributes["symmetric"]
    steps = 2**bits - 1 - int(is_signed and is_symmetric)
    first = 2 ** (bits - 1) - int(is_symmetric) if is_signed else 0
    least, most = np.asarray(attributes["min"], np.float64), np.asarray(attributes["max"], np.float64)
    if steps < 1 or not np.all(most > least):
        return None
    scale = (most - least) / steps
    exact = -first - least / scale
    zero_point = np.rint(exact)
    if np.abs(exact - zero_point).max() > 1e-3:  # 0 is none of the steps
        return None
    return _linear(scale, zero_point, -first, steps - first, attributes)


def _linear(scale: Any, zero_point: Any, low: int, high: int, attributes: Mapping[str, Any]) -> Linear:
    scale, zero_point = np.broadcast_arrays(scale, zero_point)
    if scale.size and (scale == scale.flat[0]).all() and (zero_point == zero_point.flat[0]).all():
        scale, zero_point = scale.flat[0], zero_point.flat[0]
    return Linear(
        np.asarray(scale, np.float64), np.asarray(zero_point, np.int64), low, high, attributes["channel_axis"]
    )
