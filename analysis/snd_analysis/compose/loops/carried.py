"""Carried variables of loops: their initial and final values (2.10.1, Looping)."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.body.agreement import demand_shape
from snd_analysis.compose.body.annotations import disagree, written_shape
from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.body.targets import Targets
from snd_analysis.compose.printing import tensor_text
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic.values import UNDEFINED, ItemRun, Pack


def initial(state: BodyState, carry: nodes.Carry) -> TensorValue:
    """Return the initial value of a carried variable."""
    value = state.tensor(carry.value, carry.name.text)
    if carry.type is None or not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = written_shape(state, carry.type.shape)
    if shape is None:
        return value if value.value is None else UNDEFINED
    if value.value is not None and value.shape == ():
        return replace(value, shape=shape)
    if disagree(shape, value.shape):
        message = (
            f"the carried variable '{carry.name.text}' is declared as '{carry.type.type.text}"
            f"[{written(carry.type.shape)}]', which is [{','.join(map(str, shape))}] here, "
            f"but it begins as '{tensor_text(value)}'"
        )
        state.fail(rules.RESULT_SHAPE, carry.type, message)
        return UNDEFINED
    declared = f"{carry.type.type.text}[{written(carry.type.shape)}]"
    said = f"the carried variable '{carry.name.text}' must begin as '{declared}'"
    demand_shape(state, shape, value.shape, said, carry.type)
    return value


def as_declared(state: BodyState, carry: nodes.Carry, value: TensorValue) -> TensorValue:
    """Return the value of a carried variable in each iteration, given its initial value."""
    if carry.type is None or not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = written_shape(state, carry.type.shape)
    same = shape is not None and len(shape) == len(value.shape)
    return replace(value, shape=shape) if same and not any(isinstance(part, ItemRun) for part in value.shape) else value


def final(
    state: BodyState,
    node: nodes.Loop,
    carry: nodes.Carry,
    before: TensorValue,
    after: TensorValue,
    targets: Targets,
    at: int,
) -> TensorValue:
    """Return a carried variable after the loop: of the shape that it keeps through all iterations."""
    if not isinstance(before, Tensor) or not isinstance(after, Tensor) or before.shape is None or after.shape is None:
        return before if isinstance(before, Pack) else UNDEFINED
    if node.keyword.text == "unroll" and before.shape != after.shape:
        return UNDEFINED  # it changes from step to step in an unknown way
    if disagree(before.shape, after.shape):
        message = (
            f"the carried variable '{carry.name.text}' is '{tensor_text(before)}', but its new value is "
            f"'{tensor_text(after)}': its shape can't change, unless the loop is unrolled"
        )
        state.fail(rules.CARRIED_SHAPE, carry, message)
        return UNDEFINED
    demand_shape(state, before.shape, after.shape, f"'{carry.name.text}' must keep its shape", carry)
    name = state.scoped(targets.name(at) or carry.name.text)
    return Tensor(name, before.dtype, before.shape, TensorKind.RESULT, state.place(node))
