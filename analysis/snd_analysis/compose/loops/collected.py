"""Packs to which each iteration of a loop adds one tensor (2.10.1, Looping)."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from snd_analysis.compose.body.interpreter import Interpreter, tried
from snd_analysis.compose.body.state import ResultValues
from snd_analysis.compose.body.targets import Targets
from snd_analysis.compose.limits import MOST_ITEMS, MOST_ITERATIONS
from snd_analysis.compose.loops.iterations import FreshExtents, items_differ
from snd_analysis.compose.loops.names import let, local
from snd_analysis.model import Tensor, TensorKind, TensorValue, empty_pack
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, ItemRun, Pack, item


class Collecting(Struct, frozen=True):
    """The iterations of a loop, as far as they differ from each other, and their collected results."""

    interpreter: Interpreter
    node: nodes.Loop
    targets: Targets
    of_body: Targets
    count: Integer | None
    dynamic: bool
    """True if there may be fewer iterations than ``count``."""
    fresh: FreshExtents
    varying: frozenset[Hashable]
    failures: int
    """Number of failures before the loop."""

    def packs(self, scanned: ResultValues, results: ResultValues) -> ResultValues:
        """Return the packs that collect the results of the body after the carried variables."""
        rows = self._rows(scanned, results)
        return [
            self._pack(results[at], None if rows is None else [row[at] for row in rows], at)
            for at in range(len(self.node.carries), len(results))
        ]

    def _rows(self, scanned: ResultValues, results: ResultValues) -> list[ResultValues] | None:
        """Return the results of each iteration, if their number is known and the items differ.

        None if they can't be determined.
        """
        count = None if self.dynamic or self.count is None else self.count.value
        if count is None or not 0 < count <= MOST_ITEMS or not items_differ(scanned, count):
            return None
        state = self.interpreter.state
        reported = len(state.failures) > self.failures
        rows = []
        for at in range(count):
            for scan, pack in zip(self.node.scans, scanned, strict=True):
                value = item(pack, shapes.constant(at)) if isinstance(pack, Pack) else UNDEFINED
                let(state, scan.name, local(state, value, scan.name))
            found, failures = tried(self.interpreter, self.node.body, self.of_body)
            if failures and not reported:  # one iteration tells it
                state.failures.extend(failures)
                reported = True
            if found is None or len(found) != len(results):
                return None
            rows.append(found)
        return rows

    def _pack(self, value: TensorValue, row: ResultValues | None, at: int) -> TensorValue:
        """Return a result of the body as a pack with one tensor per iteration."""
        if not isinstance(value, Tensor):
            return UNDEFINED
        state, place = self.interpreter.state, self.interpreter.state.place(self.node)
        plain = self.targets.name(at) or "result"
        number = self.count.value if self.count is not None else None
        if number is not None and not self.dynamic and number <= MOST_ITERATIONS:
            items: ResultValues = []
            for each in range(max(number, 0)):
                name = state.scoped(self.targets.item_name(at, each) or f"{plain}[{each}]")
                made = row[each] if row is not None else self.fresh.renewed(value)
                if not isinstance(made, Tensor) or made.shape is None:
                    return UNDEFINED
                items.append(Tensor(name, made.dtype, made.shape, TensorKind.RESULT, place))
            return Pack(items, dtype=value.dtype) if items else empty_pack(value)
        length = self.count
        if self.dynamic or length is None:
            most = shapes.bounds(self.count)[1] if self.count is not None else None
            length = state.dynamic_extent(f"{plain}.size", 0, most)
        if self.fresh.varies(value, self.varying):
            value = self.fresh.of_each(value, self.varying)
        made = Tensor(state.scoped(f"{plain}[]"), value.dtype, value.shape, TensorKind.RESULT, place)
        return Pack((ItemRun(length, made),), dtype=value.dtype)
