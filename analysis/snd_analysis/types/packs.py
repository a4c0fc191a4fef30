"""Lists, ranges, expansions, pack indices and substitutions: their types and lengths (2.4)."""

from __future__ import annotations

from dataclasses import replace

from snd_analysis import shapes
from snd_analysis.names.symbols import Symbol, SymbolKind
from snd_analysis.shapes import Integer, Verdict
from snd_analysis.syntax import nodes
from snd_analysis.types.context import UNTYPED, Context, Place, Typed
from snd_analysis.types.type import BOOL, INT, STR, Type
from snd_analysis.types.written import counted, element_of, written


def joined_length(
    context: Context, node: nodes.Node, left: Type, right: Type, sides: tuple[nodes.Node, ...] = ()
) -> tuple[Integer | None, bool]:
    """Length of an element-wise operation, and whether those of its operands can agree; reported if not.

    ``sides`` are the two operands, where notes show what each of them is.
    """
    if left.length is None or right.length is None:
        return left.length if right.length is None else right.length, True
    if shapes.decide_equal(left.length, right.length) is Verdict.DIFFERENT:
        message = f"these packs have different lengths: {left.length} and {right.length}"
        notes = (context.note(side, f"this is '{type_}'") for side, type_ in zip(sides, (left, right), strict=False))
        context.report("length-mismatch", node, message, tuple(notes))
        return None, False
    return _better_known(left.length, right.length), True


def _better_known(first: Integer, second: Integer) -> Integer:
    """Of two lengths that must be equal, the one that says more: a number, then one made of names in declarations."""

    def knowledge(length: Integer) -> int:
        return 2 if length.value is not None else all(isinstance(key, Symbol) for key in shapes.variables(length))

    return second if knowledge(second) > knowledge(first) else first


# Of longer packs that are made of others the items are not followed: they may double with every step.
_MOST_KNOWN = 4096


def list_(context: Context, node: nodes.List) -> Typed:
    """``[a, 1:n, b.., (c, d)..]``."""
    parts = []
    for item in node.items:
        parts.append(_item(context, item))
        if parts[-1].type is None and isinstance(item, nodes.List):
            return UNTYPED  # lists in a list: one mistake, however many there are
    if any(part.type is None for part in parts):
        return UNTYPED
    types = [part.type for part in parts if part.type is not None]
    first = next((at for at, type_ in enumerate(types) if not _contributes_nothing(type_)), 0)
    for item, type_ in zip(node.items, types, strict=True):
        wanted = types[first]
        if type_.dtype != wanted.dtype and not _contributes_nothing(type_):
            message = f"the items of a list have one type, but these are '{wanted.item()}' and '{type_.item()}'"
            context.report(
                "type-mismatch", item, message, (context.note(node.items[first], f"this is '{wanted.item()}'"),)
            )
            return UNTYPED
        if type_.tensor != wanted.tensor and context.place is not Place.COMPOSE:
            return _not_accessed(context, *((item, type_) if type_.tensor else (node.items[first], wanted)))
    length = shapes.constant(0)
    for type_ in types:
        length = length + (type_.length if type_.length is not None else 1)
    optional = any(type_.optional for type_ in types)
    items: list[Integer | None] | None = []
    for part in parts:
        if items is None or part.type is None:
            continue
        if not part.type.packed:
            items.append(part.value)
        elif part.items is not None:
            items.extend(part.items)
        else:
            items = None
        if items is not None and len(items) > max(_MOST_KNOWN, len(parts)):
            items = None
    if not types:
        return EMPTY_LIST
    shape = next((type_.shape for type_ in types if type_.shape is not None), None)
    accesses = any(part.accesses for part in parts)
    return Typed(
        Type(types[first].dtype, optional, length, shape), None, tuple(items) if items is not None else None, accesses
    )


EMPTY_LIST = Typed(Type(INT, length=shapes.constant(0)), items=())
"""``[]``: of every type; whoever compares types looks at the length first, see ``is_empty_list``."""


def _contributes_nothing(type_: Type) -> bool:
    """Whether a pack is known to be empty: then it may be ``[]``, which has no type of its own."""
    return type_.length is not None and type_.length.value == 0


def is_empty_list(node: nodes.Node) -> bool:
    """Whether an expression is ``[]``, which has whatever element type is wanted."""
    while isinstance(node, nodes.Parenthesized):
        node = node.inner
    return isinstance(node, nodes.List) and not node.items


def _item(context: Context, item: nodes.Node) -> Typed:
    from snd_analysis.types.expressions import infer_index_part

    if isinstance(item, nodes.Expanded):
        return expanded(context, item)
    if isinstance(item, nodes.Range):
        return range_(context, item)
    if isinstance(item, nodes.Zip):
        message = "a tuple in a list must be expanded: write '..' behind it"
        context.report("zip-not-expanded", item, message)
        return UNTYPED
    typed = infer_index_part(context, item)
    if typed.type is not None and typed.type.packed:
        message = (
            f"packs can't be nested: write '..' behind this pack of type '{typed.type}' to put its items into the list"
        )
        context.report("pack-not-expanded", item, message)
        return UNTYPED
    return typed


def expanded(context: Context, item: nodes.Expanded) -> Typed:
    """``b..``, ``a..(n)`` or ``(a, b)..`` as an item of a list or index: a pack of what it contributes."""
    from snd_analysis.types.expressions import infer, infer_index_part

    length = item.expansion.length
    count = None if length is None else infer(context, length)
    if isinstance(item.item, nodes.Zip):
        return _zip(context, item.item)
    typed = infer_index_part(context, item.item)
    if count is not None and length is not None:
        count = _count(context, length, count)
    if typed.type is None or (count is not None and count.type is None):
        return UNTYPED
    if typed.type.packed:
        return _expanded_pack(context, item, typed, count)
    if count is None or count.type is None:
        message = f"this is a single value of type '{typed.type}': say how often it is repeated, as in '..(n)'"
        context.report("expansion-without-length", item, message)
        return UNTYPED
    optional = typed.type.optional or count.type.optional
    repeated = _repetitions(context, item.expansion, count)
    items = None
    if repeated.value is not None and repeated.value <= 64:
        items = (typed.value,) * max(repeated.value, 0)
    return Typed(replace(typed.type, optional=optional, length=repeated), None, items, typed.accesses)


def _expanded_pack(context: Context, item: nodes.Expanded, typed: Typed, count: Typed | None) -> Typed:
    assert typed.type is not None
    if count is None or count.type is None:
        return typed
    optional = typed.type.optional or count.type.optional
    if count.type.dtype == BOOL:
        # A pack under a condition: all of its items or none.
        assert item.expansion.length is not None
        assert typed.type.length is not None
        length = by_condition(context, item.expansion.length, typed.type.length, shapes.constant(0))
        length = shapes.opaque("length") if length is None else length
        return Typed(replace(typed.type, optional=optional, length=length), accesses=typed.accesses)
    if count.value is not None and typed.type.length is not None:
        if shapes.decide_equal(count.value, typed.type.length) is Verdict.DIFFERENT:
            message = f"this pack has {counted(typed.type.length, 'item')}, not {count.value}"
            context.report("length-mismatch", item, message)
            return UNTYPED
        if typed.type.length.value is None:
            return Typed(replace(typed.type, optional=optional, length=count.value), None, typed.items, typed.accesses)
    return typed


def _count(context: Context, node: nodes.Expression, count: Typed) -> Typed:
    """A repetition: one int or bool."""
    if count.type is None:
        return count
    if count.type.tensor:
        context.report(
            "tensor-in-expression",
            node,
            f"a repetition is a compile-time value, but this is a tensor of type '{count.type}'",
        )
        return UNTYPED
    if count.type.packed or count.type.dtype not in (INT, BOOL):
        context.report(
            "operand-type", node, f"how often to repeat is said by one int or bool, but this is '{count.type}'"
        )
        return UNTYPED
    return count


def _repetitions(context: Context, expansion: nodes.Expansion, count: Typed) -> Integer:
    assert count.type is not None
    assert expansion.length is not None
    if count.type.dtype == BOOL:
        length = by_condition(context, expansion.length, shapes.constant(1), shapes.constant(0))
        return shapes.opaque("length") if length is None else length
    if count.value is None:
        return shapes.opaque("length")
    return shapes.maximum(count.value, 0)


def by_condition(context: Context, condition: nodes.Node, first: Integer, second: Integer) -> Integer | None:
    """One of two ints by a condition; None where the names in it may mean something else in another formula.

    The same text means the same condition: that is how the extents of a shape are known to go with an index.
    """
    local = (SymbolKind.INDEX, SymbolKind.LOCAL)
    symbols = (context.symbol(each) for each in nodes.descendants(condition))
    if context.place is Place.COMPOSE or any(symbol is not None and symbol.kind in local for symbol in symbols):
        return None
    text = written(condition)
    return shapes.choose(shapes.proposition((context.definition, text), text), first, second)


def _not_accessed(context: Context, item: nodes.Node, type_: Type) -> Typed:
    message = f"this is a tensor of type '{type_}' in a list of values"
    if context.place is Place.LOWER:
        element = element_of(item, None if type_.shape is None else type_.shape.rank)
        message += f": access its elements by index, as in '{element}'"
    rule = "tensor-not-accessed" if context.place is Place.LOWER else "tensor-in-expression"
    context.report(rule, item, message)
    return UNTYPED


def _zip(context: Context, node: nodes.Zip) -> Typed:
    from snd_analysis.types.expressions import infer

    parts = [infer(context, item) for item in node.items]
    if any(part.type is None for part in parts):
        return UNTYPED
    types = [part.type for part in parts if part.type is not None]
    for item, type_ in zip(node.items, types, strict=True):
        if not type_.packed:
            context.report(
                "pack-expected", item, f"only packs can be interleaved, but this is a single value of type '{type_}'"
            )
            return UNTYPED
        if type_.dtype != types[0].dtype:
            message = f"interleaved packs have one type, but these are '{types[0]}' and '{type_}'"
            context.report("type-mismatch", item, message, (context.note(node.items[0], f"this is '{types[0]}'"),))
            return UNTYPED
        length, agree = joined_length(context, node, types[0], type_, (node.items[0], item))
        if not agree:
            return UNTYPED
        del length
    assert types[0].length is not None
    known = [part.items for part in parts if part.items is not None]
    items = None
    if len(known) == len(parts) and len({len(pack) for pack in known}) == 1 and len(known[0]) <= _MOST_KNOWN:
        items = tuple(item for row in zip(*known, strict=True) for item in row)
    return Typed(
        replace(types[0], optional=any(type_.optional for type_ in types), length=types[0].length * len(types)),
        None, items, any(part.accesses for part in parts),
    )  # fmt: skip


def range_(context: Context, node: nodes.Range) -> Typed:
    """``first:last:step`` in a list, where both ends must be given."""
    if node.last is None or node.first is None:
        context.report("range-without-end", node, "a range in a list needs its first and its last value: 'first:last'")
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
        if length.value is not None and length.value <= 64:
            items = tuple(first + step * at for at in range(length.value))
    return Typed(Type(INT, optional, length), None, items)


Bounds = tuple["Integer | None", "Integer | None", "Integer | None", bool]


def range_bounds(context: Context, node: nodes.Range) -> Bounds | None:
    """Values of first, last and step (1 if not given); None if one can't be an int."""
    from snd_analysis.types.expressions import expect

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
        context.report("zero-step", node.step, "the step of a range can't be 0")
        return None
    return first, last, step, optional


def pack_index(context: Context, node: nodes.Subscript, pack: Typed) -> Typed:
    """``a[i]`` on a pack or a string (2.4, Indexing)."""
    type_ = pack.type
    assert type_ is not None
    index = node.index
    if not type_.packed and type_.dtype != STR:
        if _hides_tensor(context, node.target):
            _infer_all(context, index)
            return UNTYPED
        message = f"only packs and strings can be indexed, but this is a single value of type '{type_}'"
        context.report("not-indexable", node.target, message)
        _infer_all(context, index)
        return UNTYPED
    if len(index.items) != 1 or index.trailing_comma or isinstance(index.items[0], nodes.Expanded | nodes.Zip):
        message = (
            "a pack is indexed by one index, range or pack of indices, but this is an access to a tensor; "
            f"'{type_}' is none"
        )
        context.report("not-indexable", node, message)
        _infer_all(context, index)
        return UNTYPED
    length = type_.length if type_.length is not None else shapes.opaque("length")
    with context.written(False):
        taken = _taken(context, node, length, pack.items)
    if taken is None:
        return UNTYPED
    new_length, value, items, optional, accesses = taken
    optional |= type_.optional
    accesses |= pack.accesses
    if not type_.packed:
        return Typed(Type(STR, optional), accesses=accesses)
    return Typed(replace(type_, optional=optional, length=new_length), value, items, accesses)


def _hides_tensor(context: Context, node: nodes.Node) -> bool:
    """Whether an index symbol has the name of a tensor, which may be meant."""
    symbol = context.symbol(node)
    if symbol is None or symbol.kind is not SymbolKind.INDEX:
        return False
    tensors = (SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE)
    return any(other.name == symbol.name and other.kind in tensors for other in context.resolution.symbols)


Taken = tuple["Integer | None", "Integer | None", "tuple[Integer | None, ...] | None", bool, bool]


def _taken(
    context: Context, node: nodes.Subscript, length: Integer, items: tuple[Integer | None, ...] | None
) -> Taken | None:
    """What an index takes of a pack: the length of the result (None for one item), value or items, optionality."""
    from snd_analysis.types.expressions import infer

    index = node.index.items[0]
    if isinstance(index, nodes.Range):
        return sliced(context, index, length, items)
    typed = infer(context, index)
    if typed.type is None:
        return None
    if typed.type.tensor:
        context.report(
            "tensor-in-expression",
            index,
            f"an index is a compile-time value, but this is a tensor of type '{typed.type}'",
        )
        return None
    type_ = typed.type
    if type_.packed and type_.dtype == BOOL:
        assert type_.length is not None
        if shapes.decide_equal(type_.length, length) is Verdict.DIFFERENT:
            message = f"the mask has {counted(type_.length, 'item')}, the pack that it masks {length}"
            context.report(
                "length-mismatch", index, message, (context.note(node.target, f"this has {counted(length, 'item')}"),)
            )
            return None
        return shapes.opaque("length"), None, None, type_.optional, typed.accesses
    if type_.dtype != INT:
        context.report("operand-type", index, f"an index is an int, or a pack of bool as a mask, but this is '{type_}'")
        return None
    if not type_.packed:
        value = None
        known = typed.value.value if typed.value is not None else None
        if known is not None:
            if length.value is not None and not -length.value <= known < length.value:
                message = f"the index {known} is outside of the pack, which has {counted(length, 'item')}"
                context.report("index-out-of-range", index, message)
                return None
            value = items[known] if items is not None and -len(items) <= known < len(items) else None
        return None, value, None, type_.optional, typed.accesses
    return type_.length, None, None, type_.optional, typed.accesses


def sliced(
    context: Context, index: nodes.Range, length: Integer, items: tuple[Integer | None, ...] | None
) -> Taken | None:
    """What a slice takes of a pack of known length; None if it can't be one, which is reported."""
    bounds = range_bounds(context, index)
    if bounds is None:
        return None
    first, last, step, optional = bounds
    if step is None or (first is None and index.first is not None) or (last is None and index.last is not None):
        return shapes.opaque("length"), None, None, optional, False
    known = [None if bound is None else bound.value for bound in (first, last)]
    if items is not None and step.value is not None and length.value is not None:
        given = (index.first is None or known[0] is not None) and (index.last is None or known[1] is not None)
        if given:
            for node, bound in ((index.first, known[0]), (index.last, known[1])):
                if node is not None and bound is not None and not -length.value <= bound <= length.value:
                    message = f"the bound {bound} is outside of the pack, which has {counted(length, 'item')}"
                    context.report("index-out-of-range", node, message)
                    return None
            part = items[known[0] : known[1] : step.value]
            return shapes.constant(len(part)), None, part, optional, False
    return _slice_length(first, last, step, length), None, None, optional, False


def _slice_length(first: Integer | None, last: Integer | None, step: Integer, length: Integer) -> Integer:
    """The length of a slice. A bound that is given lies inside the pack, or it is an error: so it tells its length."""
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
    """Whether the end of a slice can't lie before its beginning, as long as both bounds are inside the pack."""
    least = max((abs(bound.value) for bound in given if bound is not None and bound.value is not None), default=0)
    rest = (distance - length).value
    low = shapes.bounds(distance)[0]
    return (low is not None and low >= 0) or (rest is not None and rest + least >= 0)


def _from_start(bound: Integer | None, length: Integer) -> Integer | None:
    """A slice bound counted from the start; None if its sign is not known."""
    if bound is None:
        return None
    low, high = shapes.bounds(bound)
    if low is not None and low >= 0:
        return bound
    return length + bound if high is not None and high < 0 else None


def _infer_all(context: Context, index: nodes.Index) -> None:
    from snd_analysis.types.expressions import infer_items

    infer_items(context, index)


def substitution(context: Context, node: nodes.Substitution, pack: Typed, value: Typed) -> Typed:
    """``a[i] <- b`` (2.4, Substitution)."""
    from snd_analysis.types.expressions import infer

    items = node.index.items
    if len(items) != 1 or isinstance(items[0], nodes.Expanded | nodes.Zip):
        context.report("not-indexable", node.index, "a substitution has one index or pack of indices")
        return UNTYPED
    index: Typed
    if isinstance(items[0], nodes.Range):
        length = pack.type.length if pack.type is not None and pack.type.length is not None else shapes.opaque("length")
        taken = sliced(context, items[0], length, None)
        index = UNTYPED if taken is None else Typed(Type(INT, length=taken[0]))
    else:
        index = infer(context, items[0])
    if pack.type is None or value.type is None or index.type is None:
        return UNTYPED
    if not pack.type.packed:
        context.report("pack-expected", node.target, f"only items of a pack can be replaced, but this is '{pack.type}'")
        return UNTYPED
    if index.type.dtype != INT:
        context.report("operand-type", items[0], f"the index of a substitution is an int, but this is '{index.type}'")
        return UNTYPED
    if value.type.dtype != pack.type.dtype and not is_empty_list(node.target):
        message = f"items of type '{pack.type.item()}' can't be replaced by values of type '{value.type.item()}'"
        context.report("type-mismatch", node.value, message, (context.note(node.target, f"this is '{pack.type}'"),))
        return UNTYPED
    if not index.type.packed and value.type.packed:
        message = f"one item is replaced, but this is a pack of type '{value.type}'"
        context.report("unexpected-pack", node.value, message)
        return UNTYPED
    if index.type.packed and value.type.packed:
        _, agree = joined_length(context, node, index.type, value.type, (items[0], node.value))
        if not agree:
            return UNTYPED
    optional = pack.type.optional or value.type.optional or index.type.optional
    return Typed(replace(pack.type, optional=optional), accesses=pack.accesses or value.accesses or index.accesses)
