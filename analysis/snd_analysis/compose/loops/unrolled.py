"""Loops that are unrolled: their body is composed for each iteration (2.10.1, Looping)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.loops.names import let, let_index, local, scan_item
from snd_analysis.model import Tensor, TensorKind, TensorValue, empty_pack
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import UNDEFINED, Pack, item

if TYPE_CHECKING:
    from snd_analysis.compose.body.composer import Composer, Values


def unrolled(
    composer: Composer, node: nodes.Loop, carries: Values, packs: Values, count: int, targets: Targets
) -> Values | None:
    """The results of a loop with so many iterations; None if nothing is known of them."""
    collected: list[list[TensorValue]] = []
    for at in range(count):
        composer.work.add()
        for carry, value in zip(node.carries, carries, strict=True):
            let(composer, carry.name, value)
        for scan, pack in zip(node.scans, packs, strict=True):
            let(composer, scan.name, item(pack, shapes.constant(at)) if isinstance(pack, Pack) else UNDEFINED)
        if node.iteration is not None and node.iteration.index is not None:
            name = node.iteration.index
            value = Tensor(
                f"{name.text}[{at}]", "int", (), TensorKind.CONSTANT, composer.place(name), shapes.constant(at)
            )
            let(composer, name, value)
        results = composer.call(node.body, targets.iteration(at, len(carries), at == count - 1))
        if results is None or len(results) < len(carries):
            return None
        carries = results[: len(carries)]
        collected.append(results[len(carries) :])
    further: Values = [Pack(row, dtype=_dtype(row)) for row in zip(*collected, strict=False)]
    if count <= 0:
        further = nothing_collected(composer, node, carries, packs, targets)
    return [*carries, *further]


def nothing_collected(composer: Composer, node: nodes.Loop, carries: Values, packs: Values, targets: Targets) -> Values:
    """The empty packs that a loop without iterations collects: what their tensors would be tells the body."""
    for carry, value in zip(node.carries, carries, strict=True):
        let(composer, carry.name, local(composer, value, carry.name))
    for scan, pack in zip(node.scans, packs, strict=True):
        let(composer, scan.name, scan_item(composer, pack, scan.name))
    let_index(composer, node)
    results = composer.probed(node.body, targets) or []
    unknown = [UNDEFINED] * max(0, targets.count - len(results))
    return [empty_pack(value) for value in (*results, *unknown)[len(carries) :]]


def _dtype(row: tuple[TensorValue, ...]) -> str | None:
    return next((value.dtype for value in row if isinstance(value, Tensor)), None)
