"""Components of declared shapes, and the number of dimensions of each as far as symbols are bound (2.6)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.compose.scope import ValueScope
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import NULL, Maybe, Pack


class ShapeComponent(Struct, frozen=True):
    """One component of a declared shape. ``count`` is its number of dimensions, None if it follows only from the rank.

    ``packed`` is True for a pack of dimensions, even of a single one; any other component exists or not.
    """

    extent: nodes.Extent
    packed: bool
    count: Integer | None


def components(scope: ValueScope, extents: tuple[nodes.Extent, ...]) -> list[ShapeComponent]:
    """Return the components of a shape as far as its symbols are bound.

    Raise EvaluationError if a length has no value.
    """
    return [_component(scope, extent) for extent in extents]


def _component(scope: ValueScope, extent: nodes.Extent) -> ShapeComponent:
    one = shapes.constant(1)
    if extent.spread:
        return ShapeComponent(extent, False, one)
    if extent.expansion is None:
        if isinstance(extent.value, nodes.Tilde) or not scope.knows(extent.value):
            return ShapeComponent(extent, False, one)
        value = scope.evaluate(extent.value)
        present = value.present if isinstance(value, Maybe) else shapes.truth(value is not NULL)
        return ShapeComponent(extent, False, shapes.choose(present, 1, 0))
    length = extent.expansion.length
    if length is None:
        if isinstance(extent.value, nodes.Tilde) or not scope.knows(extent.value):
            return ShapeComponent(extent, True, None)
        value = scope.evaluate(extent.value)
        if value is NULL:
            return ShapeComponent(extent, True, shapes.constant(0))
        return ShapeComponent(extent, True, value.length if isinstance(value, Pack) else None)
    if not scope.knows(length):
        return ShapeComponent(extent, True, None)
    count = scope.evaluate(length)
    if isinstance(count, Truth):
        return ShapeComponent(extent, False, shapes.choose(count, 1, 0))
    if count is NULL:
        return ShapeComponent(extent, True, shapes.constant(0))
    return ShapeComponent(extent, True, count if isinstance(count, Integer) else None)
