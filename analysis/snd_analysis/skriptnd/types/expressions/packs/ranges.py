"""Ranges (2.4, Ranges)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.expectations import expect
from snd_analysis.skriptnd.types.limits import MOST_RANGE_ITEMS
from snd_analysis.skriptnd.types.type import INT, Type
from snd_analysis.skriptnd.types.typed import UNTYPED, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer


def range_(context: Context, node: nodes.Range) -> Typed:
    """Type ``first:last:step`` in a list, where both ends must be given."""
    if node.last is None or node.first is None:
        context.report(
            rules.RANGE_WITHOUT_END, node, "a range in a list needs its first and its last value: 'first:last'"
        )
        range_bounds(context, node)
        return UNTYPED
    bounds = range_bounds(context, node)
    if bounds is None:
        return UNTYPED
    first, last, step, optional = bounds
    length: Integer = shapes.opaque("length")
    items = None
    if first is not None and last is not None and step is not None and step.value:
        count = shapes.ceil_divide(last - first, step)
        length = shapes.maximum(count, 0)
        if length.value is not None and length.value <= MOST_RANGE_ITEMS:
            items = tuple(first + step * at for at in range(length.value))
    return Typed(Type(INT, optional, length), None, items)


Bounds = tuple["Integer | None", "Integer | None", "Integer | None", bool]


def range_bounds(context: Context, node: nodes.Range) -> Bounds | None:
    """Return values of first, last and step (1 if not given); None if one can't be an int."""
    values: list[Integer | None] = []
    optional = False
    for bound in (node.first, node.last, node.step):
        if bound is None:
            values.append(None)
            continue
        what = "the step of a range" if bound is node.step else "a bound of a range"
        typed = expect(context, bound, INT, what, packed=False, optional=True)
        if typed.type is None:
            return None
        optional |= typed.type.optional
        values.append(typed.value)
    first, last, step = values
    step = shapes.constant(1) if node.step is None else step
    if step is not None and step.value == 0 and node.step is not None:
        context.report(rules.ZERO_STEP, node.step, rules.packs.STEP_IS_ZERO)
        return None
    return first, last, step, optional
