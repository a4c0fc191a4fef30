"""Operators of other formats, replaced by the few operators of the standard library that compose them.

An operator with the meaning of one of the standard library is composed of only that one. So its composition, for the
present attributes and shapes, can replace it. Conditions of dynamic extents that the operator checks at run time are
left to its parts.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.convert.limits import MOST_STEPS
from snd_analysis.convert.steps import InvocationStep, step_of, with_tensors
from snd_analysis.model import Operation, Tensor, TensorKind, tensor_value, tensors_of
from snd_analysis.symbolic.values import Value


def unfolded(operation: Operation, keeps: Collection[str]) -> tuple[InvocationStep, ...]:
    """Return the composition of an operation, if that is short, and of the standard library; else the operation.

    ``keeps`` are the modules whose operators stay.
    """
    whole = step_of(operation)
    found = _steps(operation, keeps)
    return (whole,) if found is None or len(found) > MOST_STEPS else found


def _steps(operation: Operation, keeps: Collection[str]) -> tuple[InvocationStep, ...] | None:
    """Return the steps of an operation; None if they are unknown."""
    specialization = specialization_of(operation)
    if specialization is None or operation.control is not None:
        return None
    if specialization.template.name.path in keeps:
        return (step_of(operation),)
    body = specialization.body
    if body is None or body.variables or body.constants or body.updates:
        return None
    known = _arguments(specialization, operation)
    for formal, actual in zip(body.outputs.values(), operation.outputs, strict=True):
        for one, other in zip(tensors_of(formal), tensors_of(actual), strict=False):
            if one in known:
                return None  # an argument is passed on
            known[one] = other
    prefix = next((each.name for value in operation.outputs for each in tensors_of(value)), "")
    found: list[InvocationStep] = []
    for inner in body.operations:
        steps = _steps(_placed(inner, known, prefix), keeps)
        if steps is None or len(found) > MOST_STEPS:
            return None
        found += steps
    return tuple(found)


def _arguments(specialization: Specialization, operation: Operation) -> dict[Tensor, Tensor]:
    """Return the argument for each input of the body."""
    known: dict[Tensor, Tensor] = {}
    body = specialization.body
    assert body is not None
    for formal, actual in zip(specialization.inputs, operation.inputs, strict=False):
        known.update(zip(tensors_of(formal), tensors_of(actual), strict=False))
    for formal, actual in zip(body.inputs.values(), operation.inputs, strict=False):
        known.update(zip(tensors_of(formal), tensors_of(actual), strict=False))
    return known


def _placed(operation: Operation, known: dict[Tensor, Tensor], prefix: str) -> Operation:
    """Return an operation of a body with the tensors that it has outside."""
    return replace(
        operation,
        inputs=tuple(tensor_value(_outside(value, known, prefix)) for value in operation.inputs),
        outputs=tuple(tensor_value(_outside(value, known, prefix)) for value in operation.outputs),
    )


def _outside(value: Value, known: dict[Tensor, Tensor], prefix: str) -> Value:
    def outside(tensor: Tensor) -> Tensor:
        if tensor.kind is TensorKind.CONSTANT and tensor.shape == ():
            return tensor
        found = known.get(tensor)
        if found is None:
            found = known[tensor] = replace(tensor, name=f"{prefix}.{tensor.name}")
        return found

    return with_tensors(value, outside)
