"""Tensors that are one of several (2.10.1): their common shape, and its dependence on conditions."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.body.targets import Targets
from snd_analysis.compose.limits import MOST_JOINED_CONDITIONS
from snd_analysis.model import Condition, Place, Shape, Tensor, TensorKind, TensorValue
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import UNDEFINED, ItemRun, Maybe, Pack


class Joining(Struct, frozen=True):
    """The joined results of branches: of the first branch whose condition holds, or else of the last.

    Each branch but the last has a condition: a ``Truth`` if extents and attributes decide, any other value if only the
    run can decide.
    """

    state: BodyState
    targets: Targets
    place: Place
    conditions: Sequence[Condition]

    def joined(self, values: Sequence[TensorValue], at: int) -> TensorValue:
        """Return result ``at``, which is one of several tensors, or packs of them."""
        packs = [value for value in values if isinstance(value, Pack)]
        if packs:
            return self._packs(packs, at) if len(packs) == len(values) else UNDEFINED
        return self._tensors(values, self.state.scoped(self.targets.name(at) or "result"))

    def _tensors(self, values: Sequence[TensorValue], name: str) -> TensorValue:
        tensors = [value for value in values if isinstance(value, Tensor)]
        if len(tensors) != len(values) or any(isinstance(value, Maybe) for value in values):
            return UNDEFINED
        dtypes = {tensor.dtype for tensor in tensors}
        shape = common_shape([tensor.shape for tensor in tensors], name, self.state, self.conditions)
        if shape is None or len(dtypes) != 1:
            return UNDEFINED
        return Tensor(name, tensors[0].dtype, shape, TensorKind.RESULT, self.place)

    def _packs(self, packs: Sequence[Pack], at: int) -> TensorValue:
        first = packs[0]
        if any(pack.length != first.length for pack in packs) or any(pack.items is None for pack in packs):
            return UNDEFINED
        items = []
        for number, row in enumerate(zip(*(pack.items or () for pack in packs), strict=True)):
            name = self.targets.item_name(at, number) or f"result[{number}]"
            items.append(self._tensors(row, self.state.scoped(name)))
        return UNDEFINED if UNDEFINED in items else Pack(items, dtype=first.dtype)


def common_shape(
    found: Sequence[Shape | None], name: str, state: BodyState, conditions: Sequence[Condition] = ()
) -> Shape | None:
    """Return the shape of one of several tensors, selected by ``conditions`` as far as these are compile-time ones.

    There is a condition for each tensor but the last. An extent is dynamic if nothing decides between different ones.
    None if the shape is not known.
    """
    known = [shape for shape in found if shape is not None]
    if len(known) != len(found) or not known:
        return None
    if all(shape == known[0] for shape in known[1:]):
        return known[0]
    if any(len(shape) != len(known[0]) or any(isinstance(part, ItemRun) for part in shape) for shape in known):
        return None
    return tuple(
        _common_extent([shape[at] for shape in known], f"{name}.shape[{at}]", state, conditions)
        for at in range(len(known[0]))
    )


def _common_extent(
    extents: Sequence[Integer | ItemRun], name: str, state: BodyState, conditions: Sequence[Condition]
) -> Integer:
    *others, last = [extent for extent in extents if isinstance(extent, Integer)]
    open_ = [last]
    for at in reversed(range(len(others))):
        condition = conditions[at] if at < len(conditions) else None
        if not isinstance(condition, Truth):
            open_.append(others[at])
            continue
        selected = shapes.choose(condition, others[at], one_of(open_, name, state))
        open_ = [selected] if _number_of_conditions(selected) <= MOST_JOINED_CONDITIONS else [others[at], *open_]
    return one_of(open_, name, state)


def _number_of_conditions(extent: Integer) -> int:
    """Return how many conditions an extent depends on, at any depth."""
    found: set[object] = set()
    pending: list[object] = list(extent.atoms())
    while pending:
        part = pending.pop()
        if part in found:
            continue
        found.add(part)
        pending.extend(part.atoms() if isinstance(part, Integer) else getattr(part, "parts", ()))
    return sum(isinstance(part, Truth) for part in found)


def one_of(extents: Sequence[Integer], name: str, state: BodyState) -> Integer:
    """Return one of several extents, chosen at run time: a dynamic extent if they are not the same."""
    first = extents[0]
    if all(extent == first for extent in extents[1:]):
        return first
    limits = [shapes.bounds(extent) for extent in extents]
    low = min(max(low or 0, 0) for low, _ in limits)
    highs = [high for _, high in limits]
    high = None if None in highs else max(each for each in highs if each is not None)
    return state.dynamic_extent(name, low, high)
