"""Loops whose iterations are composed during the run (2.10.1, Looping)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from snd_analysis.compose import MOST_ITERATIONS, Site
from snd_analysis.compose.body import ResultValues, Targets, call
from snd_analysis.compose.loops import (
    final,
    initial,
    iterations,
    lengths_agree,
    let,
    let_item,
    nothing_collected,
    scopes_of_loop,
    unrolled,
)
from snd_analysis.model import Tensor, TensorKind, TensorValue, item_of_empty, tensors_of
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.values import UNDEFINED, Pack
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.failing import raise_failure
from snd_runtime.execution.plain import bytes_of, static_shape
from snd_runtime.execution.program import check_count, counted, integer
from snd_runtime.execution.stepwise.long_loops import run_at_once
from snd_runtime.lowering.arithmetic import INT
from snd_runtime.rules import UNKNOWN_VALUE

if TYPE_CHECKING:
    from snd_runtime.execution.stepwise.body import Stepwise


def run_loop(body: Stepwise, node: nodes.Loop, targets: Targets) -> ResultValues | None:
    """Return the results of a loop; None if they are not known, which is noted. Raise EvaluationFailed."""
    carries = [initial(body.state, carry) for carry in node.carries]
    packs = [body.state.tensor(scan.value, scan.name.text) for scan in node.scans]
    if not lengths_agree(body.state, node, packs):
        return None
    number = _count(body, node, packs)
    raise_failure(body.state.failures)
    if node.keyword.text == "unroll" and number is not None and number <= MOST_ITERATIONS:
        values = unrolled(body, node, carries, packs, number, targets)
        if number:  # values of the last iteration
            _tell_names(body, node)
        return values
    values = run_at_once(body, node, number, targets)
    return _repeat(body, node, carries, packs, number, targets) if values is None else values


def _count(body: Stepwise, node: nodes.Loop, packs: ResultValues) -> int | None:
    """Return how many iterations there are at most; None if only conditions end the loop."""
    place = body.state.place(node)
    lengths = [pack.length.value or 0 for pack in packs if isinstance(pack, Pack)]
    number, _ = iterations(body.state, node, packs)
    written = node.iteration.count if node.iteration is not None else None
    value = None if written is None else body.state.scope.evaluate(written)
    if isinstance(value, Tensor):
        found = integer(body.arrays.argument(value, place), place)
        check_count(found, lengths, place)
        return found
    return None if number is None else number.value


def _repeat(
    body: Stepwise, node: nodes.Loop, carries: ResultValues, packs: ResultValues, number: int | None, targets: Targets
) -> ResultValues:
    arrays, budget, around, place = body.arrays, body.run.budget, body.iterations, body.state.place(node)
    first, used, kept = carries, budget.used, 0
    collected: list[list[TensorValue]] | None = None
    before = [each.condition for each in node.conditions if not each.post]
    after = [each.condition for each in node.conditions if each.post]
    of_condition, of_body = scopes_of_loop(body, node, targets)
    at = 0
    try:
        for at in counted(number, budget, place):
            budget.check_time(place)
            body.iterations = (*around, at)
            arrays.enter()
            _let_names(body, node, carries, packs, at)
            if not all(body.holds(condition, of_condition) for condition in before):
                arrays.leave([], place)
                break
            _tell_names(body, node)
            results = call(body, node.body, of_body)
            raise_failure(body.state.failures)
            if results is None or UNDEFINED in results or len(results) < len(carries):
                raise EvaluationFailed(UNKNOWN_VALUE, "the results of the loop are not known", place)
            items = results[len(carries) :]
            carries = _carried(body, node, first, results[: len(carries)], targets)
            items = [_item(body, value, targets, at, len(carries) + of) for of, value in enumerate(items)]
            arrays.leave([*carries, *items], place)
            collected = collected or [[] for _ in items]
            for row, value in zip(collected, items, strict=True):
                row.append(value)
                kept += bytes_of(arrays.argument(value, place))
            budget.settle(used + kept + sum(bytes_of(arrays.argument(value, place)) for value in carries))
            if after:
                _let_names(body, node, carries, packs, at)
                if not all(body.holds(condition, of_condition) for condition in after):
                    break
    except EvaluationFailed as failed:
        raise failed.via(Site(place, f"in iteration {at} of this loop, counted from 0")) from None
    finally:
        body.iterations = around
    if collected is None:
        return [*carries, *_nothing(body, node, carries, packs, targets)]
    results = [*carries, *(Pack(row) for row in collected)]
    for value in results:
        arrays.count(value)
    return results


def _let_names(body: Stepwise, node: nodes.Loop, carries: ResultValues, packs: ResultValues, at: int) -> None:
    """Bind the names that a loop declares to their values in one iteration."""
    for carry, value in zip(node.carries, carries, strict=True):
        let(body.state, carry.name, value)
    for scan, pack in zip(node.scans, packs, strict=True):
        let_item(body.state, scan.name, pack, at)
    if node.iteration is not None and node.iteration.index is not None:
        name = node.iteration.index
        index = Tensor(body.state.scoped(name.text), "int", (), TensorKind.LOCAL, body.state.place(name))
        body.arrays.let(index, np.array(at, INT))
        let(body.state, name, index)
    if body.run.quantizing.is_applied:
        for declared in (*(carry.name for carry in node.carries), *(scan.name for scan in node.scans)):
            _quantize(body, declared)


def _quantize(body: Stepwise, name: nodes.Name) -> None:
    symbol = body.template.resolution.targets.get(name)
    value = body.state.scope.values.get(symbol, UNDEFINED) if isinstance(symbol, Symbol) else UNDEFINED
    if tensors_of(value):
        let(body.state, name, body.quantized(value, name.text, body.state.place(name)))


def _tell_names(body: Stepwise, node: nodes.Loop) -> None:
    """Report the values of the names that a loop declares."""
    if body.run.watch_names is None:
        return
    names = [*(carry.name for carry in node.carries), *(scan.name for scan in node.scans)]
    if node.iteration is not None and node.iteration.index is not None:
        names.append(node.iteration.index)
    for name in names:
        symbol = body.template.resolution.targets.get(name)
        value = body.state.scope.values.get(symbol, UNDEFINED) if isinstance(symbol, Symbol) else UNDEFINED
        place = body.state.place(name)
        with suppress(EvaluationFailed):  # unknown values may be unused
            body.run.tell(name.text, body.arrays.argument(value, place), place, body.iterations)


def _carried(
    body: Stepwise, node: nodes.Loop, first: ResultValues, carries: ResultValues, targets: Targets
) -> ResultValues:
    """Return the carried variables after an iteration, of the shapes that they began with."""
    found: ResultValues = []
    for at, (carry, before, now) in enumerate(zip(node.carries, first, carries, strict=True)):
        value = final(body.state, node, carry, before, now, targets, at)
        raise_failure(body.state.failures)
        if isinstance(value, Tensor):
            body.arrays.let(value, body.arrays.argument(now, None))
        found.append(value if isinstance(value, Tensor) else now)
    return found


def _item(body: Stepwise, value: TensorValue, targets: Targets, iteration: int, at: int) -> TensorValue:
    """Return a result of the body, as an item of the pack that collects it."""
    if not isinstance(value, Tensor):
        return value
    named = replace(value, name=body.state.scoped(targets.item_name(at, iteration) or f"result[{iteration}]"))
    body.arrays.let(named, body.arrays.array(value, value.place))
    return named


def _nothing(
    body: Stepwise, node: nodes.Loop, carries: ResultValues, packs: ResultValues, targets: Targets
) -> ResultValues:
    """Return the packs that a loop without iterations collects: empty ones, whose types its composition tells."""
    found = nothing_collected(body, node, carries, packs, targets)
    if len(found) < targets.count - len(carries) or not all(map(_item_is_known, found)):
        message = "there is nothing to scan, so nothing tells the types and shapes of what the loop would collect"
        raise EvaluationFailed(UNKNOWN_VALUE, message, body.state.place(node))
    return found


def _item_is_known(pack: TensorValue) -> bool:
    element = item_of_empty(pack) if isinstance(pack, Pack) else UNDEFINED
    return isinstance(element, Tensor) and static_shape(element) is not None
