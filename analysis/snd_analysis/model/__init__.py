"""The model that composing a graph produces (chapter 3 of the draft): tensors, operations, graphs.

Shapes are rows of extents. An extent is a symbolic integer: a number where it is static, an expression over the dynamic
extents of inputs and results otherwise; a ``Run`` is a symbolic number of dimensions, which occurs only where an
operator is composed without a caller.
"""

from snd_analysis.model.graph import (
    Branch,
    Callee,
    Case,
    Condition,
    ControlFlow,
    Graph,
    Loop,
    LoopLocal,
    Operation,
    RuntimeCheck,
)
from snd_analysis.model.tensors import (
    Place,
    Quantization,
    Shape,
    Tensor,
    TensorKind,
    TensorValue,
    as_tensor,
    empty_pack,
    item_of_empty,
    representative,
    tensor_value,
    tensors_of,
)

__all__ = [
    "Branch",
    "Callee",
    "Case",
    "Condition",
    "ControlFlow",
    "Graph",
    "Loop",
    "LoopLocal",
    "Operation",
    "Place",
    "Quantization",
    "RuntimeCheck",
    "Shape",
    "Tensor",
    "TensorKind",
    "TensorValue",
    "as_tensor",
    "empty_pack",
    "item_of_empty",
    "representative",
    "tensor_value",
    "tensors_of",
]
