"""Steps as calls of functions in machine code, where all of a step can be compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.compose.formulas import Slot
from snd_analysis.symbolic.values import Pack
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.flat.entry import Entry
from snd_runtime.execution.flat.fused import FusedFormulas
from snd_runtime.execution.flat.leaf import LeafInvocation
from snd_runtime.execution.prepared import prepared
from snd_runtime.execution.program import ProgramStep
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import CompiledCall, Scratch
from snd_runtime.lowering.memory import array_types


class CompilableStep(Struct, frozen=True):
    """A step, the compiled calls with the same effect, and the slots that these calls read and write."""

    step: ProgramStep
    calls: Sequence[CompiledCall]
    tensors: Mapping[int, Slot]


def compilable(step: ProgramStep, real: np.dtype[Any]) -> CompilableStep | None:
    """Return the calls of a step; None if not all of it can be compiled."""
    match step.action:
        case Entry():
            return CompilableStep(step, (), {})
        case FusedFormulas(fused=fused):
            calls = fused.calls(real)
            return None if calls is None else CompilableStep(step, calls, fused.slots)
        case LeafInvocation() as leaf:
            return _compilable_leaf(step, leaf, real)
    return None


def _compilable_leaf(step: ProgramStep, leaf: LeafInvocation, real: np.dtype[Any]) -> CompilableStep | None:
    ready = prepared(leaf.specialization)
    if not ready.is_only_formulas:
        return None
    try:
        lowered = ready.lowered
        calls, defaults = lowered.calls(real), ready.with_defaults([], real)
    except EvaluationFailed:
        return None
    if calls is None:
        return None
    template = leaf.specialization.template
    given = [*leaf.inputs, *([None] * (len(template.inputs) - len(leaf.inputs)))]
    tensors: dict[Slot, int] = {}
    constants: dict[Slot, Array] = {}
    values = (lowered.tensors.values[member.symbol] for member in template.inputs)
    for value, reference, default in zip(values, given, defaults, strict=True):
        if reference is None:
            constants |= _by_slot(value, default)
        else:
            tensors |= _by_slot(value, reference)
    for member, result in zip(template.outputs, step.results, strict=True):
        tensors |= _by_slot(lowered.tensors.values[member.symbol], result.slots)
    others = {
        key: Scratch(prod(extent or 0 for extent in key.shape) * array_types(real)[key.dtype].itemsize)
        for call in calls
        for key in call.places()
        if isinstance(key, Slot) and key not in tensors and key not in constants
    }
    moved = [call.on({**tensors, **others}, constants) for call in calls]
    return CompilableStep(step, moved, {number: slot for slot, number in tensors.items()})


def _by_slot(value: Any, given: Any) -> dict[Slot, Any]:
    """Return the given value of each tensor of an operand, which may be a pack or null."""
    slots, items = (value.segments, given or ()) if isinstance(value, Pack) else ((value,), (given,))
    return {slot: item for slot, item in zip(slots, items, strict=False) if isinstance(slot, Slot) and item is not None}
