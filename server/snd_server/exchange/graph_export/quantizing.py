"""The operation that quantizes a tensor named in ``@quantize``."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Arguments, Session, Specialization
from snd_analysis.compose.body import missing_dimensions
from snd_analysis.model import Operation, Quantization, Tensor
from snd_analysis.symbolic import integers


class QuantizingOperation(Struct, frozen=True):
    """An invocation of the algorithm for a tensor, with dimensions of extent 1 before those of the tensor."""

    operation: Operation
    callee: Specialization
    argument: Tensor
    result: Tensor
    ones: int


def quantizing_operation(session: Session, tensor: Tensor, found: Quantization) -> QuantizingOperation:
    """Return the invocation that gives the quantized version of a tensor."""
    template = session.template(found.operator)
    assert template is not None, "only operators that there are get into a graph"
    ones = missing_dimensions(template, found.attributes, len(tensor.shape or ()))
    argument = replace(tensor, shape=(*[integers.constant(1)] * ones, *(tensor.shape or ())))
    callee = session.specialization(template, Arguments(found.dtypes, found.attributes, (argument,)))
    result = replace(argument, name=f"{tensor.name}.quantized")
    operation = Operation(template.name, None, {}, {}, (argument,), (result,), found.place, callee)
    return QuantizingOperation(operation, callee, argument, result, ones)
