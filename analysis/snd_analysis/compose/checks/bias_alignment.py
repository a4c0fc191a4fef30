"""Biases that are broadcast along the width though they are as long as the channels: `[1,8,8,8] + [8]` (4.2)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.specialization import Specialization, tensor_text, written_call
from snd_analysis.model import Graph, Operation, Tensor, TensorKind
from snd_analysis.skriptnd.names import is_library
from snd_analysis.symbolic.integers import Integer, constant
from snd_analysis.symbolic.values import NULL, Pack

_POOLING = frozenset({"max_pool", "sum_pool", "avg_pool", "rms_pool", "lp_pool"})
_KEEPING = frozenset({"relu", "prelu", "elu", "selu", "gelu", "silu", "sigmoid", "softplus", "thresholded_relu"})
_WEIGHTS = frozenset({TensorKind.VARIABLE, TensorKind.CONSTANT})
_ALIGNING = frozenset({"add", "sub", "mul", "div", "min", "max"})


def misaligned_biases(root: Specialization) -> Iterator[Failure]:
    """Yield a warning for each bias of a graph or operator whose alignment is probably unintended.

    Channels are known to come first in operators that define this: convolution and pooling, and operators that only
    change the elements of their results.
    """
    if root.body is not None and any(map(_may_misalign, root.body.operations)):
        yield from _in_graph(root.body, set())


def _may_misalign(operation: Operation) -> bool:
    """Return whether a vector of weights may be an operand. In most graphs none is, and no search is needed."""
    if operation.control is not None:
        return True
    name = operation.operator
    return name is not None and name.name in _ALIGNING and any(map(_is_vector_of_weights, operation.inputs))


def _is_vector_of_weights(value: object) -> bool:
    return isinstance(value, Tensor) and value.kind in _WEIGHTS and value.shape is not None and len(value.shape) == 1


def _in_graph(graph: Graph, channel_first: set[Tensor]) -> Iterator[Failure]:
    for operation in graph.operations:
        for part in operation.subgraphs.values():
            yield from _in_graph(part, channel_first)
        name = operation.operator
        if name is None or not is_library(name.path):
            continue
        first = operation.inputs[0] if operation.inputs else NULL
        if _puts_channels_first(operation) or (name.name in _KEEPING and first in channel_first):
            channel_first.update(each for each in operation.outputs[:1] if isinstance(each, Tensor))
        elif name.name in _ALIGNING and operation.attributes.get("rhs_align") is NULL is operation.attributes.get(
            "lhs_align"
        ):
            yield from _of_operands(operation, channel_first)


def _of_operands(operation: Operation, channel_first: set[Tensor]) -> Iterator[Failure]:
    x, y = operation.inputs
    for value, bias, attribute in ((x, y, "rhs_align"), (y, x, "lhs_align")):
        if (
            isinstance(value, Tensor)
            and isinstance(bias, Tensor)
            and value in channel_first
            and _fits_both(value, bias)
        ):
            assert operation.operator is not None
            module = operation.operator.path.rpartition(":")[2]
            message = (
                f"'{bias.name}' is broadcast along the last dimension of '{tensor_text(value)}', the width, "
                f"and not along its channels, which have the same extent: write {attribute}=1 if it belongs to them"
            )
            site = Site(operation.place, f"'{module}.{operation.operator.name}' is invoked here")
            yield Failure(rules.MISALIGNED_BIAS, message, (site,), instead=_aligned(operation, attribute))


def _aligned(operation: Operation, attribute: str) -> str:
    """Return the name of the operator with the bias at the channels; empty if the invocation gives attributes."""
    call = written_call(operation.place)
    plain = call is not None and call.generics is None and call.attributes is None
    return f"{call.function.text}{{{attribute}=1}}" if call is not None and plain else ""


def _fits_both(value: Tensor, bias: Tensor) -> bool:
    """Return whether a vector of weights is as long as the channels, and as the last dimension."""
    if not _is_vector_of_weights(bias) or bias.shape is None or value.shape is None or len(value.shape) < 3:
        return False
    extent = bias.shape[0]
    return isinstance(extent, Integer) and extent.value != 1 and extent == value.shape[1] == value.shape[-1]


def _puts_channels_first(operation: Operation) -> bool:
    """Return whether an operator of the library has its channels in dimension 1, by its definition or attributes."""
    assert operation.operator is not None
    module, name = operation.operator.path.rpartition(":")[2], operation.operator.name
    if module == "layer":
        return name in ("conv", "deconv", "batch_norm")
    if module != "nn":
        return False
    if name in _POOLING:
        axes = operation.attributes.get("axes")
        items = (axes.items if isinstance(axes, Pack) else None) or ()
        return bool(items) and items == tuple(map(constant, range(2, 2 + len(items))))
    return name == "batch_norm" or (name in ("conv", "deconv") and operation.attributes.get("data_format") == "NCX")
