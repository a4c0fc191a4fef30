"""Indices of packs and strings, and substitutions of indexed items (2.4, Indexing, Substitution)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.names import SymbolKind
from snd_analysis.skriptnd.syntax import nodes, shown_pack, written
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.functions import is_empty_list
from snd_analysis.skriptnd.types.expressions.inference import infer, infer_list_item
from snd_analysis.skriptnd.types.expressions.packs.expansions import joined_length
from snd_analysis.skriptnd.types.expressions.packs.lists import range_bounds
from snd_analysis.skriptnd.types.type import BOOL, INT, STR, UNTYPED, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


# ---- slices of packs and of dimensions: the selected items and their number (2.4, Indexing) --------------------------
class Taken(Struct, frozen=True):
    """The part of a pack that an index or slice selects."""

    length: Integer | None
    """Number of items; None if the part is no pack."""
    value: Integer | None = None
    """The one item, if it is a known int."""
    items: tuple[Integer | None, ...] | None = None
    """The known items; None if unknown."""
    optional: bool = False
    accesses: bool = False


def sliced(
    context: Context,
    pack: nodes.Node | None,
    index: nodes.Range,
    length: Integer,
    items: tuple[Integer | None, ...] | None,
) -> Taken | None:
    """Return the part of a pack of known length that a slice selects; None after reporting that it can't be one."""
    bounds = range_bounds(context, index)
    if bounds is None:
        return None
    first, last, step, optional = bounds
    if step is None or (first is None and index.first is not None) or (last is None and index.last is not None):
        return Taken(shapes.opaque("length"), optional=optional)
    known = [None if bound is None else bound.value for bound in (first, last)]
    if items is not None and step.value is not None and length.value is not None:
        given = (index.first is None or known[0] is not None) and (index.last is None or known[1] is not None)
        if given:
            for node, bound in ((index.first, known[0]), (index.last, known[1])):
                if node is not None and bound is not None and not -length.value <= bound <= length.value:
                    what = "the dimension" if pack is None else shown_pack(pack)
                    message = f"the bound {bound} is outside of {what}, which has {counted(length, 'item')}"
                    context.report(rules.INDEX_OUT_OF_RANGE, node, message)
                    return None
            part = items[known[0] : known[1] : step.value]
            return Taken(shapes.constant(len(part)), items=part, optional=optional)
    return Taken(_slice_length(first, last, step, length), optional=optional)


def _slice_length(first: Integer | None, last: Integer | None, step: Integer, length: Integer) -> Integer:
    """Return the length of a slice.

    A bound that is given lies inside the pack, or it is an error: so it tells its length.
    """
    if first is None and last is None and step.value in (1, -1):
        return length
    if step.value is None or step.value == 0:
        return shapes.opaque("length")
    begin, end = _from_start(first, length), _from_start(last, length)
    if step.value > 0:
        begin = shapes.constant(0) if first is None else begin
        end = length if last is None else end
        distance = None if begin is None or end is None else end - begin
    else:
        begin = length - 1 if first is None else begin
        end = shapes.constant(-1) if last is None else end
        if first is not None and begin is not None and shapes.compare("<", begin, length) is not shapes.TRUE:
            begin = None  # the length itself is taken for the last index
        distance = None if begin is None or end is None else begin - end
    if distance is None:
        return shapes.opaque("length")
    count = shapes.ceil_divide(distance, abs(step.value))
    one_sided = step.value > 0 and (first is None or last is None)
    return count if one_sided or _is_kept(distance, length, first, last) else shapes.maximum(count, 0)


def _is_kept(distance: Integer, length: Integer, *given: Integer | None) -> bool:
    """Return whether the end of a slice can't lie before its beginning, as long as both bounds are inside the pack."""
    least = max((abs(bound.value) for bound in given if bound is not None and bound.value is not None), default=0)
    rest = (distance - length).value
    low = shapes.bounds(distance)[0]
    return (low is not None and low >= 0) or (rest is not None and rest + least >= 0)


def _from_start(bound: Integer | None, length: Integer) -> Integer | None:
    """Return a slice bound counted from the start; None if its sign is not known."""
    if bound is None:
        return None
    low, high = shapes.bounds(bound)
    if low is not None and low >= 0:
        return bound
    return length + bound if high is not None and high < 0 else None


# ---- indices of packs and strings, and substitutions of indexed items (2.4, Indexing, Substitution) ------------------
def pack_index(context: Context, node: nodes.Subscript, pack: Typed) -> Typed:
    """Type ``a[i]`` on a pack or a string (2.4, Indexing)."""
    type_ = pack.type
    assert type_ is not None
    index = node.index
    if not type_.packed and type_.dtype != STR:
        if _hides_tensor(context, node.target):
            infer_items(context, index)
            return UNTYPED
        message = f"only packs and strings can be indexed, but this is a single value of type '{type_}'"
        context.report(rules.NOT_INDEXABLE, node.target, message)
        symbol = context.symbol(node.target)
        if symbol is not None and symbol.kind is SymbolKind.EXTENT:
            context.distrust(symbol)  # the declared length decides whether it is a pack
        infer_items(context, index)
        return UNTYPED
    if len(index.items) != 1 or index.trailing_comma or isinstance(index.items[0], nodes.Expanded | nodes.Zip):
        message = f"'{type_}' takes one index, range or pack of indices, but this is an access to a tensor"
        context.report(rules.NOT_INDEXABLE, node, message)
        infer_items(context, index)
        return UNTYPED
    length = type_.length if type_.length is not None else shapes.opaque("length")
    with context.written(False):
        taken = _taken(context, node, length, pack.items)
    if taken is None:
        return UNTYPED
    optional = type_.optional or taken.optional
    accesses = pack.accesses or taken.accesses
    if not type_.packed:
        return Typed(Type(STR, optional), accesses=accesses)
    return Typed(replace(type_, optional=optional, length=taken.length), taken.value, taken.items, accesses)


def _hides_tensor(context: Context, node: nodes.Node) -> bool:
    """Return whether an index symbol has the name of a tensor, which may be meant."""
    symbol = context.symbol(node)
    if symbol is None or symbol.kind is not SymbolKind.INDEX:
        return False
    tensors = (SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE)
    return any(other.name == symbol.name and other.kind in tensors for other in context.resolution.symbols)


def _taken(
    context: Context, node: nodes.Subscript, length: Integer, items: tuple[Integer | None, ...] | None
) -> Taken | None:
    """Return the part of a pack that an index selects; None after reporting that it can't be an index."""
    index = node.index.items[0]
    if isinstance(index, nodes.Range):
        return sliced(context, node.target, index, length, items)
    typed = infer(context, index)
    if typed.type is None:
        return None
    if typed.type.tensor:
        context.report(
            rules.TENSOR_IN_EXPRESSION,
            index,
            f"an index is a compile-time value, but this is a tensor of type '{typed.type}'",
        )
        return None
    type_ = typed.type
    if type_.packed and type_.dtype == BOOL:
        assert type_.length is not None
        if shapes.decide_equal(type_.length, length) is EqualityVerdict.DIFFERENT:
            message = rules.packs.mask_differs(type_.length, length)
            context.report(
                rules.LENGTH_MISMATCH,
                index,
                message,
                (context.note(node.target, f"this has {counted(length, 'item')}"),),
            )
            return None
        return Taken(shapes.opaque("length"), optional=type_.optional, accesses=typed.accesses)
    if type_.dtype != INT:
        context.report(
            rules.OPERAND_TYPE, index, f"an index is an int, or a pack of bool as a mask, but this is '{type_}'"
        )
        return None
    if not type_.packed:
        value = None
        known = typed.value.value if typed.value is not None else None
        if known is not None:
            if length.value is not None and not -length.value <= known < length.value:
                message = (
                    f"the index {known} is outside of {shown_pack(node.target)}, which has {counted(length, 'item')}"
                )
                context.report(rules.INDEX_OUT_OF_RANGE, index, message)
                return None
            value = items[known] if items is not None and -len(items) <= known < len(items) else None
        return Taken(None, value, optional=type_.optional, accesses=typed.accesses)
    return Taken(type_.length, optional=type_.optional, accesses=typed.accesses)


def substitution(context: Context, node: nodes.Substitution, pack: Typed, value: Typed) -> Typed:
    """Type ``a[i] <- b`` (2.4, Substitution)."""
    items = node.index.items
    if len(items) != 1 or isinstance(items[0], nodes.Expanded | nodes.Zip):
        context.report(rules.NOT_INDEXABLE, node.index, "a substitution has one index or pack of indices")
        return UNTYPED
    index: Typed
    if isinstance(items[0], nodes.Range):
        length = pack.type.length if pack.type is not None and pack.type.length is not None else shapes.opaque("length")
        taken = sliced(context, node.target, items[0], length, None)
        index = UNTYPED if taken is None else Typed(Type(INT, length=taken.length))
    else:
        index = infer(context, items[0])
    if pack.type is None or value.type is None or index.type is None:
        return UNTYPED
    if not pack.type.packed:
        context.report(
            rules.PACK_EXPECTED, node.target, f"only items of a pack can be replaced, but this is '{pack.type}'"
        )
        return UNTYPED
    if index.type.dtype != INT:
        context.report(
            rules.OPERAND_TYPE, items[0], f"the index of a substitution is an int, but this is '{index.type}'"
        )
        return UNTYPED
    if value.type.dtype != pack.type.dtype and not is_empty_list(node.target):
        message = f"items of type '{pack.type.item()}' can't be replaced by values of type '{value.type.item()}'"
        context.report(rules.TYPE_MISMATCH, node.value, message, (context.note(node.target, f"this is '{pack.type}'"),))
        return UNTYPED
    if not index.type.packed and value.type.packed:
        message = f"one item is replaced, but this is a pack of type '{value.type}'"
        context.report(rules.UNEXPECTED_PACK, node.value, message)
        return UNTYPED
    if index.type.packed and not value.type.packed:
        message = (
            f"a pack of indices needs a pack of as many values, but this is a single value of type '{value.type}': "
            f"write '[{written(node.value)} ..({index.type.length or 'n'})]'"
        )
        context.report(rules.PACK_EXPECTED, node.value, message)
        return UNTYPED
    if index.type.packed and value.type.packed:
        _, agree = joined_length(context, node, index.type, value.type, (items[0], node.value))
        if not agree:
            return UNTYPED
    optional = pack.type.optional or value.type.optional or index.type.optional
    return Typed(replace(pack.type, optional=optional), accesses=pack.accesses or value.accesses or index.accesses)


def infer_items(context: Context, index: nodes.Index) -> None:
    """Type the items of an index into an untyped value: any bound of a range may be omitted there."""
    for item in index.items:
        if isinstance(item, nodes.Range):
            range_bounds(context, item)
        else:
            infer_list_item(context, item)
