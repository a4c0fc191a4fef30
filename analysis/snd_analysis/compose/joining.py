"""Tensors that are one of several, which one only the run tells (2.10.1): what their shapes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snd_analysis import shapes
from snd_analysis.model import Place, Shape, Tensor, TensorKind, TensorValue
from snd_analysis.shapes import Integer
from snd_analysis.values import UNDEFINED, Maybe, Pack, Run

if TYPE_CHECKING:
    from snd_analysis.compose.composer import Composer
    from snd_analysis.compose.results import Targets


def joined(values: Sequence[TensorValue], targets: Targets, at: int, composer: Composer, place: Place) -> TensorValue:
    """A result that is one of several tensors, or packs of them. An extent in which they differ becomes dynamic."""
    packs = [value for value in values if isinstance(value, Pack)]
    if packs:
        return _joined_packs(packs, targets, at, composer, place) if len(packs) == len(values) else UNDEFINED
    name = targets.name(at)
    return _joined_tensors(values, composer.scoped(name or "result"), composer, place)


def _joined_tensors(values: Sequence[TensorValue], name: str, composer: Composer, place: Place) -> TensorValue:
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) != len(values) or any(isinstance(value, Maybe) for value in values):
        return UNDEFINED
    dtypes = {tensor.dtype for tensor in tensors}
    shape = common_shape([tensor.shape for tensor in tensors], name, composer)
    if shape is None or len(dtypes) != 1:
        return UNDEFINED
    return Tensor(name, tensors[0].dtype, shape, TensorKind.RESULT, place)


def _joined_packs(packs: Sequence[Pack], targets: Targets, at: int, composer: Composer, place: Place) -> TensorValue:
    first = packs[0]
    if any(pack.length != first.length for pack in packs) or any(pack.items is None for pack in packs):
        return UNDEFINED
    items = []
    for number, row in enumerate(zip(*(pack.items or () for pack in packs), strict=True)):
        name = targets.item_name(at, number) or f"result[{number}]"
        items.append(_joined_tensors(row, composer.scoped(name), composer, place))
    return UNDEFINED if UNDEFINED in items else Pack(items, dtype=first.dtype)


def common_shape(found: Sequence[Shape | None], name: str, composer: Composer) -> Shape | None:
    """The shape of what is one of several: with dynamic extents where they differ; None if it is not known."""
    known = [shape for shape in found if shape is not None]
    if len(known) != len(found) or not known:
        return None
    if all(shape == known[0] for shape in known[1:]):
        return known[0]
    if any(len(shape) != len(known[0]) or any(isinstance(part, Run) for part in shape) for shape in known):
        return None
    return tuple(
        _common_extent([shape[at] for shape in known], f"{name}.shape[{at}]", composer) for at in range(len(known[0]))
    )


def _common_extent(extents: Sequence[Integer | Run], name: str, composer: Composer) -> Integer:
    first = extents[0]
    assert isinstance(first, Integer)
    if all(extent == first for extent in extents[1:]):
        return first
    limits = [shapes.bounds(extent) for extent in extents if isinstance(extent, Integer)]
    low = min(max(low or 0, 0) for low, _ in limits)
    highs = [high for _, high in limits]
    high = None if None in highs else max(each for each in highs if each is not None)
    return composer.dynamic(name, low, high)
