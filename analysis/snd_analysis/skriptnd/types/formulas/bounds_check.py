"""Accesses out of bounds of a tensor, or of a pack of tensors, in every instance in which their formula runs (2.12).

Accesses that depend on a graph are found when composing. Expressions that may not be evaluated are skipped: formulas
with a condition, branches, guarded indices ``|i|``, optional inputs, and indices that are read from tensors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Set

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.formulas.counting import counted_symbols
from snd_analysis.skriptnd.types.type import UNTYPED
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer


# The values that the indices of a formula take together: bounds may name other indices, as in ``i < n, j < i``.
class _Range(Struct, frozen=True):
    """The first and the last value of an index; both may name indices that come later in ``IndexSpace.ranges``."""

    first: Integer
    last: Integer


class IndexSpace(Struct, frozen=True):
    """Ranges of indices, inner ones first: an index is eliminated before the indices that its range names.

    For each value of the outer indices inside their ranges, the range of an inner index has a value.
    """

    ranges: Mapping[Hashable, _Range | None]
    """The range of each index by the key of its variable; None where it has no exact form."""
    slacks: tuple[Integer, ...]
    """Values without indices that are not negative wherever the formula runs."""

    @property
    def never_runs(self) -> bool:
        """Return whether the index space has no point for any sizes."""
        highest = (shapes.bounds(slack)[1] for slack in self.slacks)
        return any(most is not None and most < 0 for most in highest)

    def extremes(self, value: Integer) -> tuple[Integer | None, Integer | None]:
        """Return the least and the greatest value that occur; None for a value that can't be determined."""
        least: Integer | None = value
        most: Integer | None = value
        for key, range_ in self.ranges.items():
            least = None if least is None else _at_end(least, key, range_, greatest=False)
            most = None if most is None else _at_end(most, key, range_, greatest=True)
        return least, most

    def is_negative(self, value: Integer) -> bool:
        """Return whether a value without indices is below 0 wherever the formula runs."""
        highest = (shapes.bounds(value + slack)[1] for slack in (shapes.constant(0), *self.slacks))
        return not self.never_runs and any(most is not None and most < 0 for most in highest)


def index_space(limits: Mapping[Hashable, Integer]) -> IndexSpace:
    """Return the index space in which each index takes the values from 0 to its limit, the limit excluded."""
    open_: dict[Hashable, _Range | None] = {key: _Range(shapes.constant(0), limit - 1) for key, limit in limits.items()}
    names = {key: shapes.variables(limit) & limits.keys() - {key} for key, limit in limits.items()}
    ranges: dict[Hashable, _Range | None] = {}
    slacks: list[Integer] = []
    while open_:
        needed = {name for key in open_ for name in names[key]}
        # Bounds name only indices that were declared before, so there is always an innermost index.
        key = next((each for each in open_ if each not in needed), next(iter(open_)))
        ranges[key] = range_ = open_.pop(key)
        if range_ is None:
            open_.update(dict.fromkeys(names[key] & open_.keys()))
            continue
        slack = range_.last - range_.first
        outer = shapes.variables(slack) & limits.keys()
        if not outer:
            slacks.append(slack)
            continue
        narrowed = _narrowed(open_, next(iter(outer)), slack) if len(outer) == 1 else None
        open_.update(dict.fromkeys(outer & open_.keys()) if narrowed is None else narrowed)
    return IndexSpace(ranges, tuple(slacks))


def _narrowed(
    open_: Mapping[Hashable, _Range | None], key: Hashable, slack: Integer
) -> dict[Hashable, _Range | None] | None:
    """Return the range of an index in which ``slack``, which names no other index, is not negative.

    None if the range has no exact form.
    """
    range_, form = open_.get(key), shapes.as_affine(slack, key)
    if range_ is None or form is None or form[0] not in (1, -1):
        return None
    factor, rest = form
    if factor == 1:
        first = _greater(range_.first, rest.scaled(-1))
        return None if first is None else {key: _Range(first, range_.last)}
    last = _greater(range_.last.scaled(-1), rest.scaled(-1))
    return None if last is None else {key: _Range(range_.first, last.scaled(-1))}


def _greater(one: Integer, other: Integer) -> Integer | None:
    """Return the greater of two values; None if that depends on sizes."""
    if shapes.compare(">=", one, other) is TRUE:
        return one
    return other if shapes.compare(">=", other, one) is TRUE else None


def _at_end(value: Integer, key: Hashable, range_: _Range | None, *, greatest: bool) -> Integer | None:
    if key not in shapes.variables(value):
        return value
    form = shapes.as_affine(value, key)
    if form is None or range_ is None:
        return None
    end = range_.last if (form[0] > 0) is greatest else range_.first
    return shapes.substitute(value, {key: end})


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
