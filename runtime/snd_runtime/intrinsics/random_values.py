"""The ``rand`` module. Values depend on the seed of the run.

Reals are drawn with 32 bits, so that the same ones come, up to rounding, however exact reals are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_analysis import rules
from snd_runtime.intrinsics.invocation import BoundIntrinsic
from snd_runtime.lowering.arithmetic import BOOL, INT
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import UNKNOWN_VALUE

_DOUBLE = np.dtype(np.float64)


def uniform(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return reals from ``min`` to below ``max``, or ints from ``min`` to ``max``."""
    if invocation.dtypes["T"] == "int":
        return _uniform_ints(invocation)
    shape, real = invocation.integers("shape"), invocation.real
    low, high = _finite(invocation, "min"), _finite(invocation, "max")
    invocation.claim("'output'", shape, real)
    invocation.claim("random values for 'output'", shape, real)
    drawn = np.asarray(invocation.generator.random(shape, np.float32), real)
    # A weighted sum does not overflow where the difference of the bounds would.
    result = np.asarray(drawn * high, real)
    np.subtract(1, drawn, out=drawn)
    drawn *= low
    result += drawn
    invocation.budget.release(drawn.size, real.itemsize)
    # Rounding may lead to the upper bound, or a little below the lower one.
    return (np.clip(result, low, np.nextafter(high, low), out=result),)


def _uniform_ints(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    shape = invocation.integers("shape")
    low, high = invocation.integer("min"), invocation.integer("max")
    allowed = np.iinfo(np.int64)
    for name, value in (("min", low), ("max", high)):
        if not allowed.min <= value <= allowed.max:
            raise invocation.failed(rules.INT_OVERFLOW, f"'{name}' is {value}, which does not fit into 64 bits")
    invocation.claim("'output'", shape, INT)
    return (np.asarray(invocation.generator.integers(low, high, shape, INT.type, endpoint=True)),)


def normal(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return reals of a normal distribution."""
    shape, real = invocation.integers("shape"), invocation.real
    mean, deviation = _finite(invocation, "mean"), _finite(invocation, "std")
    invocation.claim("'output'", shape, real)
    result = np.asarray(invocation.generator.standard_normal(shape, np.float32), real)
    with np.errstate(over="ignore"):
        result *= deviation
        result += mean
    return (result,)


def bernoulli(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Truth values, each true with the probability ``prob``."""
    shape = invocation.integers("shape")
    invocation.claim("'output'", shape, BOOL)
    invocation.claim("random values for 'output'", shape, _DOUBLE)
    drawn = np.asarray(invocation.generator.random(shape))
    invocation.budget.release(drawn.size, _DOUBLE.itemsize)
    return (np.asarray(drawn < invocation.number("prob")),)


def _finite(invocation: BoundIntrinsic, name: str) -> np.floating[Any]:
    """Return an attribute as a real of the run. Raise EvaluationFailed if that is infinite or NaN."""
    with np.errstate(over="ignore"):
        value: np.floating[Any] = invocation.real.type(invocation.number(name))
    if not np.isfinite(value):
        message = f"'{name}' is {invocation.number(name)!r}, which is no finite number of the type {invocation.real}"
        raise invocation.failed(UNKNOWN_VALUE, message)
    return value
