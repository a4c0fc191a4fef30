"""Differences between the iterations of a loop whose body is composed once: carried shapes, items, results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.body.annotations import demand_shape, disagree, written_shape
from snd_analysis.compose.body.interpreter import Interpreter, tried
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.dynamic import Dynamic
from snd_analysis.compose.freshen import Freshening
from snd_analysis.compose.limits import MOST_ITEMS, MOST_ITERATIONS, MOST_LOOP_TRIALS
from snd_analysis.compose.loops.counts import let, local
from snd_analysis.compose.specialization import tensor_text
from snd_analysis.model import Shape, Tensor, TensorKind, TensorValue, empty_pack
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import POSITION, POSITION_KEY, UNDEFINED, Element, ItemRun, Pack, item, substitute


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
        """Return a result that covers every iteration: extents that differ become unknowns within their bounds."""
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


# ---- carried variables of loops: their initial and final values (2.10.1, Looping) ------------------------------------
def initial(state: BodyState, carry: nodes.Carry) -> TensorValue:
    """Return the initial value of a carried variable."""
    value = state.tensor(carry.value, carry.name.text)
    if carry.type is None or not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = written_shape(state, carry.type.shape)
    if shape is None:
        return value if value.value is None else UNDEFINED
    if value.value is not None and value.shape == ():
        return replace(value, shape=shape)
    if disagree(shape, value.shape):
        message = (
            f"the carried variable '{carry.name.text}' is declared as '{carry.type.type.text}"
            f"[{written(carry.type.shape)}]', which is [{','.join(map(str, shape))}] here, "
            f"but it begins as '{tensor_text(value)}'"
        )
        state.fail(rules.RESULT_SHAPE, carry.type, message)
        return UNDEFINED
    declared = f"{carry.type.type.text}[{written(carry.type.shape)}]"
    said = f"the carried variable '{carry.name.text}' must begin as '{declared}'"
    demand_shape(state, shape, value.shape, said, carry.type)
    return value


def as_declared(state: BodyState, carry: nodes.Carry, value: TensorValue) -> TensorValue:
    """Return the value of a carried variable in each iteration, given its initial value."""
    if carry.type is None or not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = written_shape(state, carry.type.shape)
    same = shape is not None and len(shape) == len(value.shape)
    return replace(value, shape=shape) if same and not any(isinstance(part, ItemRun) for part in value.shape) else value


def final(
    state: BodyState,
    node: nodes.Loop,
    carry: nodes.Carry,
    before: TensorValue,
    after: TensorValue,
    targets: Targets,
    at: int,
) -> TensorValue:
    """Return a carried variable after the loop: of the shape that it keeps through all iterations."""
    if not isinstance(before, Tensor) or not isinstance(after, Tensor) or before.shape is None or after.shape is None:
        return before if isinstance(before, Pack) else UNDEFINED
    if node.keyword.text == "unroll" and before.shape != after.shape:
        return UNDEFINED  # it changes from step to step in an unknown way
    if disagree(before.shape, after.shape):
        message = (
            f"the carried variable '{carry.name.text}' is '{tensor_text(before)}', but its new value is "
            f"'{tensor_text(after)}': its shape can't change, unless the loop is unrolled"
        )
        state.fail(rules.CARRIED_SHAPE, carry, message)
        return UNDEFINED
    demand_shape(state, before.shape, after.shape, f"'{carry.name.text}' must keep its shape", carry)
    name = state.scoped(targets.name(at) or carry.name.text)
    return Tensor(name, before.dtype, before.shape, TensorKind.RESULT, state.place(node))


# ---- packs to which each iteration of a loop adds one tensor (2.10.1, Looping) ---------------------------------------
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
