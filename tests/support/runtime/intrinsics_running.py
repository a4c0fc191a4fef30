"""Library operators run by their intrinsics, as the execution of a graph does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from snd_analysis.base import Span
from snd_analysis.model import Place, Tensor
from snd_analysis.symbolic.integers import TRUE, Integer, Truth
from snd_analysis.symbolic.values import NULL, Pack, Value
from snd_runtime.intrinsics import INTRINSICS, BoundIntrinsic, PlainValue
from snd_runtime.limits import Budget, Limits
from support.runtime.operators import bind_library

FLOAT32 = np.dtype(np.float32)
PLACE = Place("main.sknd", "net", Span(0, 1))


def intrinsic(
    name: str,
    *inputs: Any,
    dtypes: Sequence[str] = (),
    real: Any = np.float64,
    seed: int = 0,
    limits: Limits | None = None,
    **attributes: Any,
) -> Any:
    """Return the outputs of an operator, such as ``algo.top_k``; a single output is not in a tuple.

    The outputs must have the types and shapes that the operator declares.
    """
    specialization = bind_library(name, inputs, attributes, dtypes)
    dtype = np.dtype(real)
    shapes = tuple(_extents(output) for output in specialization.outputs)
    invocation = BoundIntrinsic(
        {key: _plain(value) for key, value in specialization.attributes.items()},
        specialization.scope.dtypes,
        tuple(value.astype(dtype) if value.dtype.kind == "f" else value for value in map(np.asarray, inputs)),
        shapes,
        dtype,
        np.random.default_rng(seed),
        Budget(limits or Limits()),
        PLACE,
    )
    for value in invocation.inputs:
        assert isinstance(value, np.ndarray)
        value.setflags(write=False)
    outputs = INTRINSICS[specialization.template.name](invocation)
    for found, declared, shape in zip(outputs, specialization.outputs, shapes, strict=True):
        assert isinstance(found, np.ndarray)
        assert isinstance(declared, Tensor)
        assert found.dtype == {"real": dtype, "int": np.int64, "bool": np.bool_}[str(declared.dtype)]
        assert len(found.shape) == len(shape)
        assert all(extent in (each, None) for each, extent in zip(found.shape, shape, strict=True))
    return outputs[0] if len(outputs) == 1 else outputs


def _extents(value: Value) -> tuple[int | None, ...]:
    assert isinstance(value, Tensor)
    assert value.shape is not None
    return tuple(extent.value if isinstance(extent, Integer) else None for extent in value.shape)


def _plain(value: Value) -> PlainValue:
    if value is NULL:
        return None
    if isinstance(value, Pack):
        assert value.items is not None
        return tuple(_plain(item) for item in value.items)
    if isinstance(value, Truth):
        return value is TRUE
    if isinstance(value, Integer):
        assert value.value is not None
        return value.value
    assert isinstance(value, float | str)
    return value
