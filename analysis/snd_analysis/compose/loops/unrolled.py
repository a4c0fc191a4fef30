"""Loops that are unrolled: their body is composed for each iteration (2.10.1, Looping)."""

from __future__ import annotations

from snd_analysis.compose.body.interpreter import Interpreter, call, tried
from snd_analysis.compose.body.state import ResultValues
from snd_analysis.compose.body.targets import Targets
from snd_analysis.compose.loops.names import let, let_index, let_item, local, scan_item
from snd_analysis.model import Tensor, TensorKind, TensorValue, empty_pack
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED, Pack


def unrolled(
    interpreter: Interpreter, node: nodes.Loop, carries: ResultValues, packs: ResultValues, count: int, targets: Targets
) -> ResultValues | None:
    """Return the results of a loop with so many iterations; None if nothing is known of them."""
    state = interpreter.state
    collected: list[list[TensorValue]] = []
    for at in range(count):
        state.step()
        for carry, value in zip(node.carries, carries, strict=True):
            let(state, carry.name, value)
        for scan, pack in zip(node.scans, packs, strict=True):
            let_item(state, scan.name, pack, at)
        if node.iteration is not None and node.iteration.index is not None:
            name = node.iteration.index
            value = Tensor(f"{name.text}[{at}]", "int", (), TensorKind.CONSTANT, state.place(name), shapes.constant(at))
            let(state, name, value)
        results = call(interpreter, node.body, targets.iteration(at, len(carries), at == count - 1))
        if results is None or len(results) < len(carries):
            return None
        carries = results[: len(carries)]
        collected.append(results[len(carries) :])
    further: ResultValues = [Pack(row, dtype=_dtype(row)) for row in zip(*collected, strict=False)]
    if count <= 0:
        further = nothing_collected(interpreter, node, carries, packs, targets)
    return [*carries, *further]


def nothing_collected(
    interpreter: Interpreter, node: nodes.Loop, carries: ResultValues, packs: ResultValues, targets: Targets
) -> ResultValues:
    """Return the empty packs that a loop without iterations collects; the body gives the types of their tensors."""
    state = interpreter.state
    for carry, value in zip(node.carries, carries, strict=True):
        let(state, carry.name, local(state, value, carry.name))
    for scan, pack in zip(node.scans, packs, strict=True):
        let(state, scan.name, scan_item(state, pack, scan.name))
    let_index(state, node)
    results = tried(interpreter.composing, node.body, targets)[0] or []
    unknown = [UNDEFINED] * max(0, targets.count - len(results))
    return [empty_pack(value) for value in (*results, *unknown)[len(carries) :]]


def _dtype(row: tuple[TensorValue, ...]) -> str | None:
    return next((value.dtype for value in row if isinstance(value, Tensor)), None)
