"""Differences between the iterations of a loop whose body is composed once: carried shapes, items, results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.dynamic.freshen import Freshening
from snd_analysis.compose.dynamic.unknowns import Dynamic
from snd_analysis.compose.limits import MOST_LOOP_TRIALS
from snd_analysis.model import Shape, Tensor, TensorValue
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import POSITION, POSITION_KEY, UNDEFINED, Element, ItemRun, Pack, substitute


# ---- carried variables -----------------------------------------------------------------------------------------------
class Steps(Struct, frozen=True):
    """The carried variables of an unrolled loop of a symbolic count: at any step, and after the last one."""

    starts: ResultValues
    ends: ResultValues


def steps(
    state: BodyState, carries: ResultValues, names: Sequence[tuple[str, str]], count: Integer | None,
    varying: frozenset[Hashable], body: Callable[[ResultValues], ResultValues | None],
) -> Steps | None:  # fmt: skip
    """Find the extents that change from step to step.

    They are unknown within the loop, and `x + count * c` after it if each step adds the same c. ``names`` are the names
    of the carried variables, within the loop and after it. ``body`` returns the results for some values of the carried
    variables; ``varying`` are keys of values that differ between iterations, besides the dynamic extents that arise
    here. None if nothing is known of the results.
    """
    before = set(state.dynamic)
    starts = list(carries)
    changing: set[Hashable] = set()
    for _ in range(MOST_LOOP_TRIALS):
        results = body(starts)
        if results is None or len(results) < len(starts):
            return None
        stepped = [
            _stepped(state, start, after, changing, name)
            for start, after, (name, _) in zip(starts, results, names, strict=False)
        ]
        if all(new is old for new, old in zip(stepped, starts, strict=True)):
            arisen = frozenset(state.dynamic.keys() - before)
            closing = _Closing(state, count, changing | varying | arisen)
            rows = zip(carries, starts, results, (name for _, name in names), strict=False)
            return Steps(starts, [closing.end(*row) for row in rows])
        starts = stepped
    return None


def _stepped(
    state: BodyState, start: TensorValue, after: TensorValue, changing: set[Hashable], name: str
) -> TensorValue:
    """Return a carried variable with an unknown for each extent that changes in a step; the same one if none does."""
    if not isinstance(start, Tensor) or start.shape is None:
        return start
    if not isinstance(after, Tensor) or after.shape is None or len(after.shape) != len(start.shape):
        return UNDEFINED
    shape = list(start.shape)
    for at, (old, new) in enumerate(zip(start.shape, after.shape, strict=True)):
        if old == new or _is_one_of(old, changing):
            continue
        if not isinstance(old, Integer) or not isinstance(new, Integer):
            return UNDEFINED
        shape[at] = extent = state.dynamic_extent(f"{name}.shape[{at}]", 0, None)
        changing.update(leaf.key for leaf in extent.leaves)
    return start if tuple(shape) == start.shape else replace(start, shape=tuple(shape))


def _is_one_of(extent: object, keys: set[Hashable]) -> bool:
    """Return whether an extent is one of these unknowns."""
    return isinstance(extent, Integer) and len(extent.leaves) == 1 and next(iter(extent.leaves)).key in keys


class _Closing(Struct, frozen=True):
    state: BodyState
    count: Integer | None
    varying: frozenset[Hashable] | set[Hashable]

    def end(self, first: TensorValue, start: TensorValue, after: TensorValue, name: str) -> TensorValue:
        """Return a carried variable after the last step."""
        if not (isinstance(first, Tensor) and isinstance(start, Tensor) and isinstance(after, Tensor)):
            return first if first is start else UNDEFINED
        if first.shape is None or start.shape is None or after.shape is None:
            return UNDEFINED
        if start.shape == after.shape:
            return first
        parts = zip(first.shape, start.shape, after.shape, strict=True)
        return replace(first, shape=tuple(self._extent(*row, f"{name}.shape[{at}]") for at, row in enumerate(parts)))

    def _extent(
        self, first: Integer | ItemRun, start: Integer | ItemRun, after: Integer | ItemRun, name: str
    ) -> Integer | ItemRun:
        if not isinstance(first, Integer) or not isinstance(start, Integer) or not isinstance(after, Integer):
            return first
        if start == after:
            return first
        addend = after - start
        if self.count is None or any(leaf.key in self.varying for leaf in addend.leaves):
            return self.state.dynamic_extent(name, 0, None)
        return first + shapes.maximum(self.count, 0) * addend


# ---- scanned items ---------------------------------------------------------------------------------------------------
def items_differ(packs: ResultValues, count: int) -> bool:
    """Return whether packs that are scanned together have at least ``count`` items, some with different shapes."""
    rows = [pack.items[:count] for pack in packs if isinstance(pack, Pack) and pack.items is not None]
    if any(len(row) < count for row in rows):
        return False
    return any(len({item.shape for item in row if isinstance(item, Tensor)}) > 1 for row in rows)


def keys_of(shape: Shape | None) -> frozenset[Hashable]:
    """Return the items of packs that are not known in a shape: which they are differs between iterations."""
    leaves = [leaf for part in shape or () if isinstance(part, Integer) for leaf in part.leaves]
    return frozenset(leaf.key for leaf in leaves if isinstance(leaf.key, Element) or leaf.key is POSITION_KEY)


class FreshExtents:
    """Replacement of the dynamic extents that arose in a body by new ones for every iteration."""

    def __init__(self, state: BodyState, before: set[Dynamic]) -> None:
        self._state = state
        known = state.dynamic
        self._arisen = {key: known[key] for key in known if key not in before}

    def renewed(self, value: TensorValue) -> TensorValue:
        """Return the result of one more iteration."""
        if not self._arisen:
            return value
        freshening = Freshening(self._arisen)
        new = freshening.tensors(value)
        self._state.dynamic.update(freshening.extents)
        return new

    def of_each(self, value: Tensor, varying: frozenset[Hashable]) -> Tensor:
        """Return a result as that of every iteration: extents that differ become unknowns within their bounds."""
        values: dict[Hashable, Integer] = {}
        for extent in value.shape or ():
            for leaf in extent.leaves if isinstance(extent, Integer) else ():
                if leaf.key in values or leaf.key is POSITION_KEY or leaf.key not in varying | self._arisen.keys():
                    continue
                among = self._state.dynamic_extent(leaf.name, leaf.low or 0, leaf.high)
                each = shapes.function("each", among, POSITION, minimum=leaf.low)
                values[leaf.key] = each if leaf.high is None else shapes.minimum(each, leaf.high)
        shape = [substitute(each, values) if isinstance(each, Integer) else each for each in value.shape or ()]
        return replace(value, shape=tuple(each for each in shape if isinstance(each, Integer | ItemRun)))

    def varies(self, value: TensorValue, varying: frozenset[Hashable]) -> bool:
        """Return whether a result has an extent that may differ between iterations."""
        shape = (value.shape or ()) if isinstance(value, Tensor) else ()
        keys = {leaf.key for part in shape if isinstance(part, Integer) for leaf in part.leaves}
        return not keys.isdisjoint(varying | self._arisen.keys())
