"""Loops over packs, counts and conditions (2.10.1, Looping)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from snd_analysis.compose.body.branches import add_operation, part
from snd_analysis.compose.body.conditions import check_condition
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.loops.carried import as_declared, final, initial
from snd_analysis.compose.loops.collected import Iterations, collected
from snd_analysis.compose.loops.counts import MOST_ITERATIONS, iterations, lengths_agree, written_count
from snd_analysis.compose.loops.iterations import Renewing, keys_of, steps, tried
from snd_analysis.compose.loops.names import let, let_index, local, scan_item
from snd_analysis.compose.loops.unrolled import unrolled
from snd_analysis.model import Graph, Loop, LoopLocal, Tensor, TensorValue
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer

if TYPE_CHECKING:
    from snd_analysis.compose.body.composer import Composer, Values


def loop(composer: Composer, node: nodes.Loop, targets: Targets) -> Values | None:
    """Composes a loop; None if nothing is known of its results.

    Raises EvaluationError if an expression has no value.
    """
    carries = [initial(composer, carry) for carry in node.carries]
    packs = [composer.tensor(scan.value, scan.name.text) for scan in node.scans]
    if not lengths_agree(composer, node, packs):
        return None
    count, dynamic = iterations(composer, node, packs)
    number = count.value if count is not None and not dynamic else None
    if node.keyword.text == "unroll" and number is not None and number <= MOST_ITERATIONS:
        return unrolled(composer, node, carries, packs, number, targets)
    return _repeated(composer, node, carries, packs, count, dynamic, targets)


def _repeated(
    composer: Composer,
    node: nodes.Loop,
    carries: Values,
    packs: Values,
    count: Integer | None,
    dynamic: bool,
    targets: Targets,
) -> Values | None:
    of_condition, of_body = scopes_of_loop(composer, node, targets)
    starts = carries
    if node.keyword.text != "unroll":
        starts = [as_declared(composer, carry, value) for carry, value in zip(node.carries, carries, strict=True)]
    carried = [
        LoopLocal(local(composer, start, carry.name), first)
        for carry, start, first in zip(node.carries, starts, carries, strict=True)
    ]
    known_before, failures = set(composer.specialization.dynamic), len(composer.specialization.failures)
    scanned = [
        LoopLocal(scan_item(composer, pack, scan.name), pack) for scan, pack in zip(node.scans, packs, strict=True)
    ]
    varying = frozenset[Hashable]().union(
        *(keys_of(each.local.shape) for each in scanned if isinstance(each.local, Tensor))
    )
    ends: Values | None = None
    if node.keyword.text == "unroll":
        for scan, each in zip(node.scans, scanned, strict=True):
            let(composer, scan.name, each.local)
        let_index(composer, node)
        called = [
            (composer.scoped(carry.name.text), composer.scoped(targets.name(at) or carry.name.text))
            for at, carry in enumerate(node.carries)
        ]
        found = steps(composer, carries, called, count, varying, lambda values: _body(composer, node, values, of_body))
        if found is not None:
            ends = found.ends
            carried = [
                LoopLocal(local(composer, value, carry.name), first)
                for carry, value, first in zip(node.carries, found.starts, carries, strict=True)
            ]
    inputs: dict[str, TensorValue] = {}
    names = [*(carry.name for carry in node.carries), *(scan.name for scan in node.scans)]
    for name, each in zip(names, (*carried, *scanned), strict=True):
        inputs[name.text] = each.local
        let(composer, name, each.local)
    index = let_index(composer, node)
    if index is not None and node.iteration is not None and node.iteration.index is not None:
        inputs[node.iteration.index.text] = index
    conditions: dict[bool, Graph] = {}
    for condition in node.conditions:
        values, conditions[condition.post] = part(composer, "condition", condition.condition, of_condition, inputs)
        check_condition(composer, condition.condition, values)
    results, body = part(composer, "body", node.body, of_body, inputs)
    if results is None or len(results) < len(carries):
        return None
    finals: Values = [
        final(composer, node, carry, before, after, targets, at)
        for at, (carry, before, after) in enumerate(zip(node.carries, ends or starts, ends or results, strict=False))
    ]
    iterations_ = Iterations(composer, node, of_body, Renewing(composer, known_before), varying, failures)
    each_row = iterations_.rows(packs, None if dynamic or count is None else count.value, results)
    for at in range(len(carries), len(results)):
        row = None if each_row is None else [each[at] for each in each_row]
        finals.append(collected(composer, node, iterations_, results[at], row, count, dynamic, targets, at))
    control = Loop(
        tuple(carried), tuple(scanned), index, written_count(composer, node),
        conditions.get(False), conditions.get(True), body,
    )  # fmt: skip
    add_operation(composer, control, node, (*carries, *packs), finals, targets)
    return finals


def scopes_of_loop(composer: Composer, node: nodes.Loop, targets: Targets) -> tuple[Targets, Targets]:
    """What the condition and the body of a loop name: each in a scope of its own if both need one (2.10, Labelling)."""
    unnamed = targets.without_results()
    conditions = [each.condition for each in node.conditions]
    of_condition = unnamed
    for condition in conditions:
        of_condition = composer.naming.part(condition, "while", [node.body], unnamed)
    return of_condition, composer.naming.part(node.body, "do", conditions, targets)


def _body(composer: Composer, node: nodes.Loop, carries: Values, targets: Targets) -> Values | None:
    """What the body gives for some values of the carried variables."""
    for carry, value in zip(node.carries, carries, strict=True):
        let(composer, carry.name, local(composer, value, carry.name))
    return tried(composer, node.body, targets)[0]
