"""Accesses that leave a tensor, or a pack of them, in every instance in which their formula runs at all (2.12).

What depends on a graph is found when composing. Whatever may not be evaluated is left alone: formulas with a condition,
branches, guarded indices ``|i|``, optional inputs, and indices that are read from tensors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.formulas.counting import counted_symbols
from snd_analysis.skriptnd.types.typed import UNTYPED
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer

Limits = Mapping[Hashable, Integer]
"""The number of values that each index takes, from 0 on, by the key of the variable that stands for it."""

_SHORT_CIRCUITING = frozenset({"&&", "||", "=>"})
_Access = nodes.Access | nodes.Subscript


def check_reach(context: Context, formula: nodes.Lowering) -> None:
    """Report the first access of a typed formula that certainly reads or writes what is not there."""
    guarded = (each for each in nodes.descendants(formula) if isinstance(each, nodes.Bounded))
    if formula.condition is not None or any(each.below is None for each in guarded):
        return  # points may be skipped, and with them what other indices do there (2.12)
    limits = _limits(context, formula)
    accesses: list[_Access] = [formula.target]
    for part in (*(local.value for local in formula.locals), formula.value):
        accesses.extend(_evaluated(part))
    for access in accesses:
        if _leaves(context, access, limits):
            return


def _limits(context: Context, formula: nodes.Lowering) -> Limits:
    named: list[tuple[nodes.Name, nodes.Expression]] = [(bound.name, bound.bound) for bound in formula.bounds]
    if formula.unroll is not None and formula.unroll.name is not None:
        named.append((formula.unroll.name, formula.unroll.count))
    found: dict[Hashable, Integer] = {}
    for name, bound in named:
        symbol = context.symbol(name)
        index = None if symbol is None else context.typed(symbol).value
        limit = context.expressions.get(bound, UNTYPED).value
        if index is not None and limit is not None:
            found.update(dict.fromkeys(shapes.variables(index), limit))
    # An index that runs to another one has a greatest value, but not together with that of the other.
    return {key: limit for key, limit in found.items() if not shapes.variables(limit) & found.keys()}


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


def _leaves(context: Context, access: _Access, limits: Limits) -> bool:
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
    elif _leaves_tensor(context, access, symbol, index, limits):
        return True
    return type_.length is not None and any(
        _leaves_extent(context, item, type_.length, limits, rules.INDEX_OUT_OF_RANGE, symbol) for item in items
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


def _leaves_tensor(context: Context, access: _Access, symbol: Symbol, index: nodes.Index, limits: Limits) -> bool:
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
        and _leaves_extent(context, item, extent, limits, rules.ACCESS_OUT_OF_RANGE, symbol)
        for item, extent in zip(index.items, extents, strict=True)
    )


def _is_counted(context: Context, extent: Integer) -> bool:
    """Return whether formulas count an extent: its name as an index is the next, not the number of them all."""
    values = (context.typed(symbol).value for symbol in counted_symbols(context))
    return any(value is not None and shapes.variables(value) & shapes.variables(extent) for value in values)


def _leaves_extent(
    context: Context, item: nodes.Node, extent: Integer, limits: Limits, rule: Rule, symbol: Symbol
) -> bool:
    """Return whether an index certainly reaches an extent, or is below 0; items of packs are counted from the end
    then."""
    typed = context.expressions.get(item, UNTYPED)
    if isinstance(item, nodes.Range | nodes.Bounded) or typed.type is None or typed.type.packed or typed.value is None:
        return False
    least, most = _range(typed.value, limits)
    if most is not None and _is_certainly_negative(extent - most - 1, limits):
        verb, reached = "reaches", most
    elif least is not None and rule == rules.ACCESS_OUT_OF_RANGE and _is_certainly_negative(least, limits):
        verb, reached = "begins at", least
    else:
        return False
    text = written(item)
    way = "is" if text == str(reached) else f"is {reached}," if least == most else f"{verb} {reached},"
    there = "tensors" if rule == rules.INDEX_OUT_OF_RANGE else "indices"
    message = f"the index '{text}' {way} outside of '{symbol.name}', which has {there} from 0 to {extent - 1}"
    context.report(rule, item, message, (context.declared(symbol),))
    return True


def _is_certainly_negative(value: Integer, limits: Limits) -> bool:
    """Return whether a value is below 0 wherever the formula runs, and so every index takes a value: every limit is 1
    or more."""
    most_of_limits = (shapes.bounds(limit)[1] for limit in limits.values())
    if any(most is not None and most < 1 for most in most_of_limits):
        return False  # it never runs
    highest = (
        shapes.bounds(value + more)[1] for more in (shapes.constant(0), *(limit - 1 for limit in limits.values()))
    )
    return any(most is not None and most < 0 for most in highest)


def _range(value: Integer, limits: Limits) -> tuple[Integer | None, Integer | None]:
    """Return the least and greatest value of an index, both of which it takes; None if that can't be told."""
    least = most = value
    for key in shapes.variables(value) & limits.keys():
        form = shapes.as_affine(value, key)
        if form is None:
            return None, None
        factor, last = form[0], limits[key] - 1
        low, high = (shapes.constant(0), last) if factor > 0 else (last, shapes.constant(0))
        least, most = shapes.substitute(least, {key: low}), shapes.substitute(most, {key: high})
    return least, most
