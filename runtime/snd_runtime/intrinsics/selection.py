"""``algo.top_k`` (section 4.7)."""

from __future__ import annotations

import numpy as np

from snd_runtime.intrinsics.invocation import BoundIntrinsic
from snd_runtime.lowering.arithmetic import INT, Array
from snd_runtime.lowering.lowered import Argument


def top_k(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return the ``k`` largest or smallest elements of ``input`` along ``axis``, best first, and their indices.

    Both results have the shape of ``input`` with ``min(k, extent)`` at ``axis``. Among equal elements the lower index
    comes first; NaN comes after all numbers. Without ``sorted`` any order is right, so that it makes no difference.
    """
    values = invocation.tensor(0)
    axis = invocation.integer("axis")
    count = min(invocation.integer("k"), values.shape[axis])
    invocation.claim("the order of 'input'", (2, *values.shape), INT)
    order = descending(values, axis) if invocation.attributes["largest"] else np.argsort(values, axis, kind="stable")
    first = [slice(None)] * values.ndim
    first[axis] = slice(count)
    kept = order[tuple(first)]
    invocation.claim("'values'", kept.shape, values.dtype)
    invocation.claim("'indices'", kept.shape, INT)
    invocation.budget.release(2 * values.size, INT.itemsize)
    # A copy, because a view would keep the whole order in memory.
    return np.take_along_axis(values, kept, axis), np.array(kept, INT)


def descending(values: Array, axis: int) -> Array:
    """Return the indices that sort reals from the largest down, equal ones by their index, NaN last."""
    return np.argsort(-values, axis, kind="stable")
