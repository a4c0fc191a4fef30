"""Results of operations on unknown operands."""

from __future__ import annotations

from snd_analysis.symbolic.limits import DEEPEST
from snd_analysis.symbolic.values.formatting import operation_text
from snd_analysis.symbolic.values.scalars import Fresh, OperationKey, Value, unknown


def result_of(
    dtype: str, operation: str, operands: tuple[Value, ...], low: int | None = None, high: int | None = None
) -> Value:
    """Return the result of an operation on unknown operands: the same for the same operands."""
    result = OperationKey(dtype, operation, operands)
    if result.depth > DEEPEST:
        return unknown(dtype, Fresh(), "…", low, high)
    return unknown(dtype, result, operation_text(operation, operands), low, high)
