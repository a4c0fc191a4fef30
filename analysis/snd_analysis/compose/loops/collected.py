"""Packs of which each iteration of a loop adds one tensor (2.10.1, Looping)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.loops.counts import MOST_ITERATIONS
from snd_analysis.compose.loops.iterations import MOST_ITEMS, Renewing, items_differ, tried
from snd_analysis.compose.loops.names import let, local
from snd_analysis.model import Tensor, TensorKind, TensorValue, empty_pack
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, Pack, Run, item

if TYPE_CHECKING:
    from snd_analysis.compose.body.composer import Composer, Values


class Iterations(Struct, frozen=True):
    """The iterations of a loop, as far as they differ from each other."""

    composer: Composer
    node: nodes.Loop
    targets: Targets
    renewing: Renewing
    varying: frozenset[Hashable]
    failures: int
    """How many failures there were before the loop."""

    def rows(self, packs: Values, count: int | None, results: Values) -> list[Values] | None:
        """The results of each iteration, if their number is known and the items differ; None if they can't be told."""
        if count is None or not 0 < count <= MOST_ITEMS or not items_differ(packs, count):
            return None
        reported = len(self.composer.specialization.failures) > self.failures
        rows = []
        for at in range(count):
            for scan, pack in zip(self.node.scans, packs, strict=True):
                value = item(pack, shapes.constant(at)) if isinstance(pack, Pack) else UNDEFINED
                let(self.composer, scan.name, local(self.composer, value, scan.name))
            found, failures = tried(self.composer, self.node.body, self.targets)
            if failures and not reported:  # one iteration tells it
                self.composer.specialization.failures.extend(failures)
                reported = True
            if found is None or len(found) != len(results):
                return None
            rows.append(found)
        return rows


def collected(
    composer: Composer,
    node: nodes.Loop,
    iterations_: Iterations,
    value: TensorValue,
    row: Values | None,
    count: Integer | None,
    dynamic: bool,
    targets: Targets,
    at: int,
) -> TensorValue:
    """A further result of the body, of which every iteration adds one tensor to a pack."""
    if not isinstance(value, Tensor):
        return UNDEFINED
    place = composer.place(node)
    plain = targets.name(at) or "result"
    number = count.value if count is not None else None
    if number is not None and not dynamic and number <= MOST_ITERATIONS:
        items: Values = []
        for each in range(max(number, 0)):
            name = composer.scoped(targets.item_name(at, each) or f"{plain}[{each}]")
            made = row[each] if row is not None else iterations_.renewing.renewed(value)
            if not isinstance(made, Tensor) or made.shape is None:
                return UNDEFINED
            items.append(Tensor(name, made.dtype, made.shape, TensorKind.RESULT, place))
        return Pack(items, dtype=value.dtype) if items else empty_pack(value)
    length = count
    if dynamic or length is None:
        most = shapes.bounds(count)[1] if count is not None else None
        length = composer.dynamic(f"{plain}.size", 0, most)
    if iterations_.renewing.varies(value, iterations_.varying):
        value = iterations_.renewing.of_each(value, iterations_.varying)
    made = Tensor(composer.scoped(f"{plain}[]"), value.dtype, value.shape, TensorKind.RESULT, place)
    return Pack((Run(length, made),), dtype=value.dtype)
