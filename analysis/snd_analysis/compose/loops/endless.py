"""Loops that only a condition ends, where the condition stays true for ever (2.10.1, Looping)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from snd_analysis import rules
from snd_analysis.compose.body.branches import check_condition, static_condition
from snd_analysis.compose.body.interpreter import Interpreter, part
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.specialization import specialization_of
from snd_analysis.model import Graph, LoopLocal, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import TRUE


def composed_conditions(
    interpreter: Interpreter, node: nodes.Loop, targets: Targets, inputs: Mapping[str, TensorValue], *, alone: bool
) -> dict[bool, Graph]:
    """Return the conditions of a loop as graphs, by whether they stand after the body.

    ``alone`` is true if nothing but a condition ends the loop: one that always holds is reported then. Raise
    EvaluationError for a condition that is null.
    """
    state = interpreter.state
    conditions: dict[bool, Graph] = {}
    for condition in node.conditions:
        static = static_condition(state, condition.condition)
        values, conditions[condition.post] = part(interpreter, "condition", condition.condition, targets, inputs)
        check_condition(state, condition.condition, values)
        if alone and static is TRUE:
            message = "this condition always holds, so the loop never ends: write a count (do..(n)), or a condition "
            state.fail(rules.ENDLESS_LOOP, condition.condition, f"{message}on what the loop computes")
    return conditions


def is_unchanging(
    conditions: Mapping[bool, Graph], carried: Iterable[LoopLocal], results: Iterable[TensorValue], index: Tensor | None
) -> bool:
    """Return whether no iteration changes what the conditions read: once they hold, the loop never ends."""
    changing = set() if index is None else {index}
    for each, after in zip(carried, results, strict=False):
        if each.local is not after:
            changing.update(tensors_of(each.local))
    return not any(_may_change(condition, changing) for condition in conditions.values())


def _may_change(graph: Graph, changing: Set[Tensor]) -> bool:
    """Return whether the outputs of a part of control flow may differ between iterations."""
    outputs = {tensor for value in graph.outputs.values() for tensor in tensors_of(value)}
    return not outputs.isdisjoint(changing) or any(_operation_may(each, changing) for each in graph.operations)


def _operation_may(operation: Operation, changing: Set[Tensor]) -> bool:
    """Return whether the results of an operation may differ: by its inputs, by variables, or by chance."""
    if any(tensor in changing for value in operation.inputs for tensor in tensors_of(value)):
        return True
    if any(_may_change(part, changing) for part in operation.subgraphs.values()):
        return True
    callee = specialization_of(operation)
    if callee is None:
        return False
    if callee.variables or (not callee.template.formulas and callee.body is None):
        return True
    return callee.body is not None and any(_operation_may(each, changing) for each in callee.body.operations)
