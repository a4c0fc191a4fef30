"""Accesses out of bounds of a tensor, or of a pack of tensors, in every instance in which their formula runs (2.12).

Accesses that depend on a graph are found when composing. Expressions that may not be evaluated are skipped: formulas
with a condition, branches, guarded indices ``|i|``, optional inputs, and indices that are read from tensors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.formulas.counting import counted_symbols
from snd_analysis.skriptnd.types.formulas.index_space import IndexSpace, index_space
from snd_analysis.skriptnd.types.type import UNTYPED
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer

_SHORT_CIRCUITING = frozenset({"&&", "||", "=>"})
_Access = nodes.Access | nodes.Subscript


def check_reach(context: Context, formula: nodes.Lowering) -> None:
    """Report the first access of a typed formula that certainly reads or writes out of bounds."""
    guarded = (each for each in nodes.descendants(formula) if isinstance(each, nodes.Bounded))
    if formula.condition is not None or any(each.below is None for each in guarded):
        return  # points may be skipped, and their accesses with them (2.12)
    space = _index_space(context, formula)
    if space is None:
        return
    accesses: list[_Access] = [formula.target]
    for part in (*(local.value for local in formula.locals), formula.value):
        accesses.extend(_evaluated(part))
    for access in accesses:
        if _leaves(context, access, space):
            return


def _index_space(context: Context, formula: nodes.Lowering) -> IndexSpace | None:
    """Return the index space of a formula; None if elements of tensors decide which points it has.

    Packed indices have no range in it.
    """
    named: list[tuple[nodes.Name, nodes.Expression]] = [(bound.name, bound.bound) for bound in formula.bounds]
    if formula.unroll is not None and formula.unroll.name is not None:
        named.append((formula.unroll.name, formula.unroll.count))
    symbols = {context.symbol(name) for name, _ in named}
    found: dict[Hashable, Integer] = {}
    for name, bound in named:
        symbol = context.symbol(name)
        index = None if symbol is None else context.typed(symbol).value
        limit = context.expressions.get(bound, UNTYPED).value
        if index is not None and limit is not None:
            found.update(dict.fromkeys(shapes.variables(index), limit))
        elif any(_varies(context, each, symbols) for each in (bound, *nodes.descendants(bound))):
            return None
    return index_space(found)


def _varies(context: Context, node: nodes.Node, indices: Set[Symbol | None]) -> bool:
    """Return whether a part of a bound differs between points or is an element of a tensor."""
    return isinstance(node, nodes.Subscript) or (isinstance(node, nodes.Name) and context.symbol(node) in indices)


def _evaluated(node: nodes.Node) -> Iterator[nodes.Subscript]:
    """Yield the accesses in an expression that are evaluated wherever the expression is."""
    match node:
        case nodes.Select(condition=condition):
            yield from _evaluated(condition)
        case nodes.Coalesce(value=value):
            yield from _evaluated(value)
        case nodes.Binary(left=left, operator=operator) if operator.text in _SHORT_CIRCUITING:
            yield from _evaluated(left)
        case nodes.Bounded():
            return
        case _:
            if isinstance(node, nodes.Subscript):
                yield node
            for child in nodes.children(node):
                yield from _evaluated(child)


def _leaves(context: Context, access: _Access, space: IndexSpace) -> bool:
    """Return whether an access certainly leaves its tensor, or the pack that holds it, which is reported."""
    *selections, index = _indices(access)
    name = access.name if isinstance(access, nodes.Access) else _target(access)
    symbol = context.symbol(name)
    if symbol is None or not symbol.is_tensor or not isinstance(symbol.node, nodes.Parameter) or symbol.node.optional:
        return False
    type_ = context.typed(symbol).type
    if type_ is None or (type_.length is not None and shapes.is_negative(type_.length)):
        return False
    items = [item for each in selections for item in each.items]
    if type_.length is not None and not selections and len(index.items) == 1 and not index.trailing_comma:
        items = list(index.items)  # an item of a pack is passed on
    elif _leaves_tensor(context, access, symbol, index, space):
        return True
    return type_.length is not None and any(
        _leaves_extent(context, item, type_.length, space, rules.INDEX_OUT_OF_RANGE, symbol) for item in items
    )


def _indices(access: _Access) -> tuple[nodes.Index, ...]:
    if isinstance(access, nodes.Access):
        return access.indices
    inner = _indices(access.target) if isinstance(access.target, nodes.Subscript) else ()
    return (*inner, access.index)


def _target(node: nodes.Node) -> nodes.Node:
    while isinstance(node, nodes.Subscript):
        node = node.target
    return node


def _leaves_tensor(context: Context, access: _Access, symbol: Symbol, index: nodes.Index, space: IndexSpace) -> bool:
    shape = symbol.node.shape if isinstance(symbol.node, nodes.Parameter) else None
    extents = None if shape is None else extents_of(dimensions(context, shape))
    single = not any(isinstance(item, nodes.Expanded | nodes.Zip) for item in index.items)
    if extents is None or not single or len(extents) != len(index.items):
        return False
    if any(extent is not None and shapes.is_negative(extent) for extent in extents):
        return False  # composing says so, and there is no such tensor
    return any(
        extent is not None
        and not _is_counted(context, extent)
        and _leaves_extent(context, item, extent, space, rules.ACCESS_OUT_OF_RANGE, symbol)
        for item, extent in zip(index.items, extents, strict=True)
    )


def _is_counted(context: Context, extent: Integer) -> bool:
    """Return whether formulas count an extent: its name as an index is the next, not the number of them all."""
    values = (context.typed(symbol).value for symbol in counted_symbols(context))
    return any(value is not None and shapes.variables(value) & shapes.variables(extent) for value in values)


def _leaves_extent(
    context: Context, item: nodes.Node, extent: Integer, space: IndexSpace, rule: Rule, symbol: Symbol
) -> bool:
    """Return whether an index certainly reaches an extent, or is below 0.

    Negative indices of packs count from the end.
    """
    typed = context.expressions.get(item, UNTYPED)
    if isinstance(item, nodes.Range | nodes.Bounded) or typed.type is None or typed.type.packed or typed.value is None:
        return False
    least, most = space.extremes(typed.value)
    if most is not None and space.is_negative(extent - most - 1):
        verb, reached = "reaches", most
    elif least is not None and rule == rules.ACCESS_OUT_OF_RANGE and space.is_negative(least):
        verb, reached = "begins at", least
    else:
        return False
    text = written(item)
    way = "is" if text == str(reached) else f"is {reached}," if least == most else f"{verb} {reached},"
    there = "tensors" if rule == rules.INDEX_OUT_OF_RANGE else "indices"
    message = f"the index '{text}' {way} outside of '{symbol.name}', which has {there} from 0 to {extent - 1}"
    context.report(rule, item, message, (context.declared(symbol),))
    return True
