"""Long loops whose shapes are all known: their body is composed once and run as a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.compose.body import ResultValues, Targets
from snd_analysis.model import Loop, Operation, Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import Pack
from snd_runtime.execution.compilation import Undecided, compiled_loop
from snd_runtime.execution.prepared import weight_of
from snd_runtime.execution.program import Frame, filled
from snd_runtime.lowering.lowered import Argument

if TYPE_CHECKING:
    from snd_runtime.execution.stepwise.body import Stepwise

# Minimum number of iterations of a long loop; shorter loops are composed during the run.
_LONG = 16


def run_at_once(body: Stepwise, node: nodes.Loop, number: int | None, targets: Targets) -> ResultValues | None:
    """Return the results of a long loop; None if it is none, or its shapes are not all known.

    Raise EvaluationFailed.
    """
    if number is None or number < _LONG or node.conditions or body.run.watch is not None:
        return None
    operation = _composed(body, node, targets)
    if operation is None or not isinstance(operation.control, Loop):
        return None
    try:
        made = compiled_loop(body.specialization, operation.control, operation.place, body.arrays.known, weight_of)
    except Undecided:
        return None
    frame = Frame(body.run, len(made.slots), body.outer_scope, body.iterations, body.is_root)
    for tensor, slot in made.slots.items():
        frame.arrays[slot] = body.arrays.known.get(tensor)
    for each in made.fixed:
        frame.arrays[each.slot] = filled(body.run, each)
    results: ResultValues = []
    for value, found in zip(operation.outputs, made.repetition.run(frame), strict=True):
        result = _written_out(value, found)
        body.arrays.let(result, found)
        body.arrays.count(result)
        results.append(result)
    return results


def _composed(body: Stepwise, node: nodes.Loop, targets: Targets) -> Operation | None:
    """Return a loop as an operation of its own; None if only the run tells all about it, or it has mistakes."""
    state = body.state
    operations, state.operations = state.operations, []
    checks, failures, dynamic = len(state.checks), len(state.failures), len(state.dynamic)
    try:
        body.composing.loop(node, targets)
        made = state.operations
    except EvaluationError:
        made = []
    finally:
        state.operations = operations
    undecided = len(state.checks) > checks or len(state.failures) > failures or len(state.dynamic) > dynamic
    del state.checks[checks:]
    del state.failures[failures:]
    return made[0] if len(made) == 1 and not undecided else None


def _written_out(value: TensorValue, found: Argument) -> TensorValue:
    """Return a pack with a tensor for each item: composing a long pack shares one tensor among its items."""
    run = value.run if isinstance(value, Pack) else None
    if run is None or not isinstance(run.element, Tensor) or found is None:
        return value
    like = run.element
    name = like.name.removesuffix("[]")
    return Pack(
        [Tensor(f"{name}[{at}]", like.dtype, like.shape, like.kind, like.place) for at in range(len(found))],
        dtype=like.dtype,
    )
