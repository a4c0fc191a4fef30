"""Lists: items of one type, and expansions among them (2.4, Lists)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.skriptnd.limits import MOST_JOINED_ITEMS, MOST_RANGE_ITEMS
from snd_analysis.skriptnd.syntax import element_of, nodes
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.functions import expect
from snd_analysis.skriptnd.types.expressions.inference import infer_index_part
from snd_analysis.skriptnd.types.expressions.packs.expansions import expanded
from snd_analysis.skriptnd.types.type import INT, UNTYPED, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer


# ---- ranges (2.4, Ranges) --------------------------------------------------------------------------------------------
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


# ---- lists -----------------------------------------------------------------------------------------------------------
EMPTY_LIST = Typed(Type(INT, length=shapes.constant(0)), items=())
"""``[]``: of every type; comparisons of types look at the length first, see ``is_empty_list``."""


def list_(context: Context, node: nodes.List) -> Typed:
    """Type ``[a, 1:n, b.., (c, d)..]``."""
    parts = []
    for item in node.items:
        parts.append(_item(context, item))
        if parts[-1].type is None and isinstance(item, nodes.List):
            return UNTYPED  # lists in a list: one mistake, however many there are
    if any(part.type is None for part in parts):
        return UNTYPED
    types = [part.type for part in parts if part.type is not None]
    if not types:
        return EMPTY_LIST
    first = next((at for at, type_ in enumerate(types) if not _contributes_nothing(type_)), 0)
    if not _agree(context, node, types, first):
        return UNTYPED
    length = shapes.constant(0)
    for type_ in types:
        length = length + (type_.length if type_.length is not None else 1)
    optional = any(type_.optional for type_ in types)
    shape = next((type_.shape for type_ in types if type_.shape is not None), None)
    accesses = any(part.accesses for part in parts)
    return Typed(Type(types[first].dtype, optional, length, shape), None, _known_items(parts), accesses)


def _agree(context: Context, node: nodes.List, types: list[Type], first: int) -> bool:
    """Return whether all items have the type of the first one that has any; reported if not."""
    wanted = types[first]
    for item, type_ in zip(node.items, types, strict=True):
        if type_.dtype != wanted.dtype and not _contributes_nothing(type_):
            message = f"the items of a list must have one type, but these are '{wanted.item()}' and '{type_.item()}'"
            note = context.note(node.items[first], f"this is '{wanted.item()}'")
            context.report(rules.TYPE_MISMATCH, item, message, (note,))
            return False
        if type_.tensor != wanted.tensor and context.stage is not Stage.COMPOSE:
            _report_not_accessed(context, *((item, type_) if type_.tensor else (node.items[first], wanted)))
            return False
    return True


def _known_items(parts: list[Typed]) -> tuple[Integer | None, ...] | None:
    """Return the items of a list, None for each that is no known int; None if it is not known which there are."""
    most = max(MOST_JOINED_ITEMS, len(parts))
    items: list[Integer | None] = []
    for part in parts:
        if part.type is None or not part.type.packed:
            items.append(part.value)
        elif part.items is None:
            return None
        else:
            items.extend(part.items)
        if len(items) > most:
            return None
    return tuple(items)


def _contributes_nothing(type_: Type) -> bool:
    """Return whether a pack is known to be empty: then it may be ``[]``, which has no type of its own."""
    return type_.length is not None and type_.length.value == 0


def _item(context: Context, item: nodes.Node) -> Typed:
    match item:
        case nodes.Expanded():
            return expanded(context, item)
        case nodes.Range():
            return range_(context, item)
        case nodes.Zip():
            context.report(rules.ZIP_NOT_EXPANDED, item, rules.packs.tuple_within("a list"))
            return UNTYPED
    typed = infer_index_part(context, item)
    if typed.type is not None and typed.type.packed:
        message = (
            f"packs can't be nested: write '..' after this pack of type '{typed.type}' to put its items into the list"
        )
        context.report(rules.PACK_NOT_EXPANDED, item, message)
        return UNTYPED
    return typed


def _report_not_accessed(context: Context, item: nodes.Node, type_: Type) -> None:
    message = f"this is a tensor of type '{type_}' in a list of values"
    if context.stage is Stage.LOWER:
        element = element_of(item, None if type_.shape is None else type_.shape.rank)
        message += f": access its elements by index, as in '{element}'"
    rule = rules.TENSOR_NOT_ACCESSED if context.stage is Stage.LOWER else rules.TENSOR_IN_EXPRESSION
    context.report(rule, item, message)
