"""Shapes of tensors, dimension by dimension, as far as their declarations or composing determine them."""

from __future__ import annotations

from snd_analysis.skriptnd.limits import MOST_DIMENSIONS
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.extents import length_value, peek
from snd_analysis.skriptnd.types.type import Dimension, Extents, TensorShape, Type
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


def dimensions(context: Context, shape: nodes.Shape, given: bool = False) -> tuple[Dimension, ...]:
    """Return the components of a shape in the definition of ``context``. Reports nothing.

    ``given`` says that the shape is that of an optional input that is there, so that its extents are not null.
    """
    with context.at(Stage.COMPILE_TIME):
        return tuple(_dimension(context, extent, given) for extent in shape.extents)


def _dimension(context: Context, extent: nodes.Extent, given: bool) -> Dimension:
    one = shapes.constant(1)
    packed = extent.expansion is not None
    if isinstance(extent.value, nodes.Tilde):
        return Dimension(_repetitions(context, extent, None) if packed else one, packed)
    value = peek(context, extent.value)
    symbol = context.symbol(extent.value)
    if extent.spread or value.type is None:
        return Dimension(_repetitions(context, extent, value.type) if packed else one, packed)
    if value.type.optional and not given:
        return Dimension(shapes.opaque("dimensions"), packed)
    if value.value is not None and shapes.is_negative(value.value):
        return Dimension(_repetitions(context, extent, value.type) if packed else one, packed)  # composing says so
    if not packed:
        return Dimension(one, False, value.value, None, symbol)
    count = _repetitions(context, extent, value.type)
    return Dimension(count, True, value.value, value.items, symbol if value.type.packed else None)


def _repetitions(context: Context, extent: nodes.Extent, type_: Type | None) -> Integer:
    """Return the number of dimensions of an expanded extent."""
    length = extent.expansion.length if extent.expansion is not None else None
    if length is not None:
        return length_value(context, length)
    return shapes.opaque("dimensions") if type_ is None or type_.length is None else type_.length


def extents_of(parts: tuple[Dimension, ...]) -> Extents | None:
    """Return the extents of all dimensions; None unless the number of dimensions is known."""
    extents: list[Integer | None] = []
    for part in parts:
        count = part.count.value
        if count is None or count + len(extents) > MOST_DIMENSIONS:
            return None
        if not part.packed:
            extents.extend([part.value] * count)
        elif part.items is not None and len(part.items) == count:
            extents.extend(part.items)
        else:
            extents.extend([part.value] * count)
    return tuple(extents)


def differing(first: Extents | None, second: Extents | None) -> bool:
    """Return whether two shapes of one rank certainly have different extents."""
    if first is None or second is None or len(first) != len(second):
        return False
    return any(
        left is not None and right is not None and shapes.decide_equal(left, right) is EqualityVerdict.DIFFERENT
        for left, right in zip(first, second, strict=True)
    )


def agreed(first: Extents | None, second: Extents | None) -> Extents | None:
    """Return the common part of two shapes: the extents that are equal for certain."""
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple(
        left if left is not None and right is not None and left == right else None
        for left, right in zip(first, second, strict=True)
    )


def shape_of(rank: Integer, extents: Extents | None) -> TensorShape:
    """Return a shape with its notation: ``2,n`` where the extents are known, ``~..(d)`` where not."""
    if extents is not None:
        return TensorShape(rank, ",".join("~" if extent is None else str(extent) for extent in extents))
    number = rank.value
    if number is not None and 0 <= number <= MOST_DIMENSIONS:
        return TensorShape(rank, ",".join("~" * number))
    return TensorShape(rank, f"~..({rank})")
