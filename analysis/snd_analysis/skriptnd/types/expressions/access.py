"""Tensors under an index: items of packs of tensors, and accesses to elements (2.4 Tensor access, 2.12)."""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Repair, Span
from snd_analysis.skriptnd.syntax import element_of, nodes, written
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions import packs
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.expressions.inference import infer_index_part
from snd_analysis.skriptnd.types.type import INT, UNTYPED, Extents, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


def tensor_access(context: Context, node: nodes.Subscript, tensor: Typed) -> Typed:
    """Type ``xs[k]``, ``x[i, j]`` or ``xs[i, j]``, by the number of indices and whether ``xs`` is a pack."""
    type_ = tensor.type
    assert type_ is not None
    if type_.packed and _is_pack_index(node.index):
        # An index read from a tensor chooses a tensor: none of its elements is read yet.
        return replace(packs.pack_index(context, node, tensor), accesses=False)
    if context.stage is not Stage.LOWER:
        message = f"only '@lower' can read elements of a tensor; this is one of type '{type_}'"
        context.report_once(rules.ACCESS_OUTSIDE_LOWER, node, message, "and here")
        return UNTYPED
    return accessed(context, node, node.index, type_)


def separate_indices(context: Context, node: nodes.Subscript | nodes.Access) -> bool:
    """Return whether each index of a single tensor has brackets of its own, as in ``x[i][j]``; report it."""
    name, indices = _name(node), _indices(node)
    symbol = context.symbol(name)
    type_ = None if symbol is None else context.typed(symbol).type
    if symbol is None or type_ is None or not type_.tensor or type_.packed or any(map(_has_several, indices)):
        return False
    text = ", ".join(written(each.items[0]) for each in indices)
    message = f"'{symbol.name}' is a single tensor, and has one pair of brackets: write '{symbol.name}[{text}]'"
    edits = tuple(
        Edit(Span(context.span(one).end - 1, context.span(other).start + 1), ", ") for one, other in pairwise(indices)
    )
    repair = Repair(f"write '{symbol.name}[{text}]'", edits, safe=False)
    context.report(rules.INDEX_COUNT, node, message, (context.declared(symbol),), repair)
    return True


def _indices(node: nodes.Subscript | nodes.Access) -> list[nodes.Index]:
    """Return the pairs of brackets after a name, the first one first."""
    if isinstance(node, nodes.Access):
        return [*node.indices]
    before = _indices(node.target) if isinstance(node.target, nodes.Subscript) else []
    return [*before, node.index]


def _has_several(index: nodes.Index) -> bool:
    return len(index.items) != 1 or index.trailing_comma


def report_tensor(context: Context, node: nodes.Node, type_: Type) -> None:
    """Say that a formula computes with elements, where it has a whole tensor."""
    element = element_of(node, None if type_.shape is None else type_.shape.rank)
    message = rules.formulas.whole_tensor(type_, element)
    context.report(rules.TENSOR_NOT_ACCESSED, node, message)


def _is_pack_index(index: nodes.Index) -> bool:
    """Return whether an index, neither expanded nor followed by a comma, takes items of a pack of tensors."""
    return (
        len(index.items) == 1
        and not index.trailing_comma
        and not isinstance(index.items[0], nodes.Expanded | nodes.Zip)
    )


def accessed(context: Context, node: nodes.Node, index: nodes.Index, tensor: Type) -> Typed:
    """Return an element of a tensor, the elements of a pack of tensors at one index, or all along a dimension."""
    with context.written(False):
        indexed = _dimensions(context, index, *_extents(context, node, index))
    if indexed is None:
        return UNTYPED
    rank = tensor.shape.rank if tensor.shape is not None else None
    if _lacks_dots(index, indexed, rank):
        _report_missing_dots(context, node, index)
        return UNTYPED
    if _lacks_comma(index, rank):
        end = context.span(index).end - 1
        repair = Repair("insert ','", (Edit(Span(end, end), ","),))
        message = "an access with one index needs a comma, as in 'x[i,]': without it, 'x[i]' is an item of a pack"
        context.report(rules.MISSING_COMMA, index, message, repair=repair)
        return UNTYPED
    if rank is not None and shapes.decide_equal(indexed.count, rank) is EqualityVerdict.DIFFERENT:
        there = "there is 1 index" if indexed.count.value == 1 else f"there are {indexed.count} indices"
        message = f"the tensor has the rank {rank} (its type is '{tensor.item()}'), but {there}"
        symbol = context.symbol(_name(node))
        notes = () if symbol is None else (context.declared(symbol),)
        context.report(rules.INDEX_COUNT, index, message, notes)
        return UNTYPED
    if indexed.packed is not None and tensor.packed:
        message = "the tensors are a pack already: no dimension of theirs can be indexed by another pack"
        context.report(rules.TWO_PACKED_INDICES, index, message)
        return UNTYPED
    length = tensor.length if indexed.packed is None else indexed.packed
    element = replace(tensor, shape=None, length=length, optional=tensor.optional or indexed.optional)
    return Typed(element, accesses=True)


def _lacks_dots(index: nodes.Index, indexed: _Dimensions, rank: Integer | None) -> bool:
    """Return whether the only index is a pack of as many indices as the tensor has dimensions."""
    if not _is_pack_index(index) or isinstance(index.items[0], nodes.Range):
        return False
    if indexed.packed is None or rank is None or rank.value == 1:
        return False
    return shapes.decide_equal(indexed.packed, rank) is EqualityVerdict.EQUAL


def _report_missing_dots(context: Context, node: nodes.Node, index: nodes.Index) -> None:
    """Say that a packed index is expanded: ``y[i..]`` for ``y[i]``."""
    item = index.items[0]
    text = f"({written(item)})" if isinstance(item, nodes.Binary | nodes.Unary) else written(item)
    tensor = written(node.name if isinstance(node, nodes.Access) else _name(node))
    message = f"'{written(item)}' is a pack with an index for each dimension: write '{tensor}[{text}..]'"
    repair = Repair(f"write '{text}..'", (Edit(context.span(item), f"{text}.."),))
    context.report(rules.INDEX_COUNT, index, message, repair=repair)


def is_packed_access(context: Context, node: nodes.Node) -> bool:
    """Return whether ``node`` accesses a tensor by one name that denotes a pack of indices."""
    if not isinstance(node, nodes.Subscript) or len(node.index.items) != 1:
        return False
    item = node.index.items[0]
    symbol = context.symbol(item) if isinstance(item, nodes.Qualified) else None
    type_ = None if symbol is None else context.typed(symbol).type
    return type_ is not None and type_.packed


def _lacks_comma(index: nodes.Index, rank: Integer | None) -> bool:
    if not _is_pack_index(index):
        return False
    return rank is None or shapes.decide_equal(rank, shapes.constant(1)) is not EqualityVerdict.DIFFERENT


class _Dimensions(Struct, frozen=True):
    count: Integer
    packed: Integer | None
    """Length of the pack that indexes one dimension, if there is one."""
    optional: bool


def _extents(context: Context, node: nodes.Node, index: nodes.Index) -> tuple[Extents | None, Integer | None]:
    """Return the extents of the accessed tensor, if its rank is a number, and the extent of its last dimension.

    They are needed only where an index takes a whole dimension.
    """
    if not any(isinstance(item, nodes.Range) for item in index.items):
        return None, None
    symbol = context.symbol(_name(node))
    declaration = symbol.node if symbol is not None else None
    if not isinstance(declaration, nodes.Parameter) or declaration.shape is None:
        return None, None
    parts = dimensions(context, declaration.shape, given=True)
    return extents_of(parts), parts[-1].value if parts and not parts[-1].packed else None


def _name(node: nodes.Node) -> nodes.Node:
    """Return the name of the tensor, or of the pack of tensors, that is accessed."""
    name = node.name if isinstance(node, nodes.Access) else node
    while isinstance(name, nodes.Subscript):
        name = name.target
    return name


def _dimensions(
    context: Context, index: nodes.Index, extents: Extents | None, last: Integer | None
) -> _Dimensions | None:
    count, packed, optional = shapes.constant(0), None, False
    first: nodes.Node | None = None
    right = True
    for item in index.items:
        match item:
            case nodes.Expanded():
                typed = packs.expanded(context, item)
            case nodes.Range():
                known = count.value is not None and extents is not None and count.value < len(extents)
                otherwise = last if item is index.items[-1] else None
                typed = _along(context, item, extents[count.value] if known else otherwise)  # type: ignore[index]
            case nodes.Zip():
                context.report(rules.ZIP_NOT_EXPANDED, item, rules.packs.tuple_within("an index"))
                typed = UNTYPED
            case _:
                typed = infer_index_part(context, item)
        if typed.type is None:
            right = False
            continue
        if typed.type.tensor:
            report_tensor(context, item, typed.type)
            right = False
            continue
        if typed.type.dtype != INT:
            context.report(rules.OPERAND_TYPE, item, f"an index is an int, but this is '{typed.type}'")
            right = False
            continue
        optional |= typed.type.optional
        if isinstance(item, nodes.Expanded):
            assert typed.type.length is not None
            count = count + typed.type.length
            continue
        count = count + 1
        if typed.type.length is None:
            continue
        if first is not None:
            notes = (context.note(first, "the first one is here"),)
            message = "at most one dimension can be indexed by a pack or a range"
            context.report(rules.TWO_PACKED_INDICES, item, message, notes)
            right = False
        packed, first = typed.type.length, item
    return _Dimensions(count, packed, optional) if right else None


def _along(context: Context, item: nodes.Range, extent: Integer | None) -> Typed:
    """Type ``:`` or ``a:b`` along a dimension: a slice of all its indices."""
    taken = packs.sliced(context, None, item, shapes.opaque("extent") if extent is None else extent, None)
    if taken is None:
        return UNTYPED
    return Typed(Type(INT, taken.optional, taken.length), accesses=taken.accesses)
