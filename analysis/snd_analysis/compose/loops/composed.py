"""Loops over packs, counts and conditions, as operations whose body is composed once (2.10.1, Looping)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set

from snd_analysis import rules
from snd_analysis.compose.body.branches import check_condition, static_condition
from snd_analysis.compose.body.interpreter import Interpreter, add_operation, part, tried
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.body.state import ResultValues
from snd_analysis.compose.limits import MOST_ITERATIONS
from snd_analysis.compose.loops.counts import (
    demand_static,
    has_steps,
    iterations,
    lengths_agree,
    let,
    let_index,
    local,
    scan_item,
    unrolled,
    written_count,
)
from snd_analysis.compose.loops.iterations import (
    Collecting,
    FreshExtents,
    Steps,
    as_declared,
    final,
    initial,
    keys_of,
    steps,
)
from snd_analysis.compose.specialization import specialization_of
from snd_analysis.model import Graph, Loop, LoopLocal, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import TRUE, Integer


# ---- loops that only a condition ends, where the condition stays true for ever (2.10.1, Looping) ---------------------
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


def loop(interpreter: Interpreter, node: nodes.Loop, targets: Targets) -> ResultValues | None:
    """Compose a loop; return None if nothing is known of its results.

    Raise EvaluationError if an expression has no value.
    """
    state = interpreter.state
    carries = [initial(state, carry) for carry in node.carries]
    packs = [state.tensor(scan.value, scan.name.text) for scan in node.scans]
    if not lengths_agree(state, node, packs):
        return None
    count, dynamic = iterations(state, node, packs)
    if _is_unrolled(node) and not demand_static(state, node, count):
        return None
    number = count.value if count is not None and not dynamic else None
    if _is_unrolled(node) and number is not None:
        if number <= MOST_ITERATIONS:
            return unrolled(interpreter, node, carries, packs, number, targets)
        if not has_steps(state, node, number):
            return None
    return _repeated(interpreter, node, carries, packs, count, dynamic, targets)


def _is_unrolled(node: nodes.Loop) -> bool:
    return node.keyword.text == "unroll"


def _repeated(
    interpreter: Interpreter,
    node: nodes.Loop,
    carries: ResultValues,
    packs: ResultValues,
    count: Integer | None,
    dynamic: bool,
    targets: Targets,
) -> ResultValues | None:
    state = interpreter.state
    of_condition, of_body = scopes_of_loop(interpreter, node, targets)
    starts = carries
    if not _is_unrolled(node):
        starts = [as_declared(state, carry, value) for carry, value in zip(node.carries, carries, strict=True)]
    known_before, failures = set(state.dynamic), len(state.failures)
    scanned = [LoopLocal(scan_item(state, pack, scan.name), pack) for scan, pack in zip(node.scans, packs, strict=True)]
    varying = frozenset[Hashable]().union(
        *(keys_of(each.local.shape) for each in scanned if isinstance(each.local, Tensor))
    )
    changing = _steps(interpreter, node, carries, scanned, count, varying, of_body, targets)
    within = starts if changing is None else changing.starts
    carried = [
        LoopLocal(local(state, value, carry.name), first)
        for carry, value, first in zip(node.carries, within, carries, strict=True)
    ]
    inputs, index = _inputs(interpreter, node, (*carried, *scanned))
    alone = not packs and written_count(state, node) is None
    conditions = composed_conditions(interpreter, node, of_condition, inputs, alone=alone)
    results, body = part(interpreter, "body", node.body, of_body, inputs)
    if results is None or len(results) < len(carries):
        return None
    before, after = (starts, results) if changing is None else (changing.ends, changing.ends)
    finals: ResultValues = [
        final(state, node, carry, one, other, targets, at)
        for at, (carry, one, other) in enumerate(zip(node.carries, before, after, strict=False))
    ]
    fresh = FreshExtents(state, known_before)
    collecting = Collecting(interpreter, node, targets, of_body, count, dynamic, fresh, varying, failures)
    finals += collecting.packs(packs, results)
    control = Loop(
        tuple(carried), tuple(scanned), index, written_count(state, node),
        conditions.get(False), conditions.get(True), body,
        alone and is_unchanging(conditions, carried, results, index),
    )  # fmt: skip
    add_operation(state, control, node, (*carries, *packs), finals, targets)
    return finals


def _inputs(
    interpreter: Interpreter, node: nodes.Loop, locals_: Sequence[LoopLocal]
) -> tuple[dict[str, TensorValue], Tensor | None]:
    """Bind the names that the loop declares to their tensors in its graphs; return these, and the index."""
    state = interpreter.state
    inputs: dict[str, TensorValue] = {}
    names = [*(carry.name for carry in node.carries), *(scan.name for scan in node.scans)]
    for name, each in zip(names, locals_, strict=True):
        inputs[name.text] = each.local
        let(state, name, each.local)
    index = let_index(state, node)
    if index is not None and node.iteration is not None and node.iteration.index is not None:
        inputs[node.iteration.index.text] = index
    return inputs, index


def _steps(
    interpreter: Interpreter,
    node: nodes.Loop,
    carries: ResultValues,
    scanned: Sequence[LoopLocal],
    count: Integer | None,
    varying: frozenset[Hashable],
    of_body: Targets,
    targets: Targets,
) -> Steps | None:
    """Return the carried variables of a loop to be unrolled, whose count is not known; None of any other loop."""
    if not _is_unrolled(node):
        return None
    state = interpreter.state
    for scan, each in zip(node.scans, scanned, strict=True):
        let(state, scan.name, each.local)
    let_index(state, node)

    def results(values: ResultValues) -> ResultValues | None:
        for carry, value in zip(node.carries, values, strict=True):
            let(state, carry.name, local(state, value, carry.name))
        return tried(interpreter, node.body, of_body)[0]

    names = [
        (state.scoped(carry.name.text), state.scoped(targets.name(at) or carry.name.text))
        for at, carry in enumerate(node.carries)
    ]
    return steps(state, carries, names, count, varying, results)


def scopes_of_loop(interpreter: Interpreter, node: nodes.Loop, targets: Targets) -> tuple[Targets, Targets]:
    """Return the targets of the condition and the body, each in its own scope if both need one (2.10, Labelling)."""
    naming, unnamed = interpreter.naming, targets.without_results()
    conditions = [each.condition for each in node.conditions]
    of_condition = unnamed
    for condition in conditions:
        of_condition = naming.part(condition, "while", [node.body], unnamed)
    return of_condition, naming.part(node.body, "do", conditions, targets)
