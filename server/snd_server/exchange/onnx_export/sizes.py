"""Operators whose formulas result in the same nodes for all sizes.

Formulas are written for extents that are numbers. Symbolic extents are replaced by two sizes: if the nodes are equal,
no extent has left a trace in them, and they hold for the symbols. This is so if only sums and products are computed
from extents. Decisions by an extent, such as `n > 100 ? a : b`, may agree for the two sizes only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec.structs import replace

from snd_analysis.base import Node, children, descendants
from snd_analysis.compose import Specialization, ValueScope
from snd_analysis.model import Tensor, TensorValue, tensor_value
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import entries_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import ItemRun, Pack, Value, substitute
from snd_server.exchange.graph_export.errors import Unsuitable

_SIZES = ((3, 2), (5, 3))
"""Least number that replaces a symbol, and the distance between those of two symbols."""
_Written = TypeVar("_Written")


def for_any_size(callee: Specialization, write: Callable[[Specialization], _Written]) -> _Written:
    """Return the nodes of an operator, which are equal for two sizes. Raise Unsuitable if they are not."""
    keys = list(dict.fromkeys(_symbols(callee)))
    if not keys:
        return write(callee)
    if not _decides(callee, keys):
        first, second = (
            write(_with(callee, {key: least + step * at for at, key in enumerate(keys)})) for least, step in _SIZES
        )
        if first == second:
            return first
    raise Unsuitable("its nodes depend on extents that are known in the run only")


def _symbols(callee: Specialization) -> Iterator[Hashable]:
    for value in (*callee.inputs, *callee.outputs, *callee.attributes.values()):
        for each in _numbers(value):
            yield from (leaf.key for leaf in each.leaves)


def _decides(callee: Specialization, keys: Iterable[Hashable]) -> bool:
    """Return whether more than sums and products is computed of extents that are symbols, or of indices below them."""
    known, scope = frozenset(keys), callee.scope

    def is_open(value: Value | ItemRun) -> bool:
        return any(leaf.key in known for each in _numbers(value) for leaf in each.leaves)

    def names(formula: nodes.Lowering) -> set[str]:
        """Return the indices and locals that depend on such an extent."""
        found = {each.name.text for each in formula.bounds if is_open(scope.attempt(each.bound))}
        for local in formula.locals:
            if mentions(local.value, found):
                found.add(local.name.text)
        return found

    def mentions(node: Node, opens: set[str]) -> bool:
        """Return whether an open value is an operand in an expression; the index of a tensor does not count."""
        match node:
            case nodes.Qualified() if node.text in opens:
                return True
            case nodes.Subscript() if _is_of_tensors(scope.attempt(node.target)):
                return False
            case nodes.Qualified() | nodes.Subscript():
                value = scope.attempt(node)
                if _is_of_tensors(value):
                    return False
                if is_open(value):
                    return True
        return any(mentions(each, opens) for each in children(node))

    if any(
        type(each) is Truth or each.depth
        for value in scope.values.values()
        for each in _numbers(value)
        if is_open(each)
    ):
        return True
    formulas = (each for _, each in entries_of(callee.template.definition, nodes.BlockKind.LOWER, nodes.Lowering))
    return any(
        mentions(node, opens)
        for formula in formulas
        for opens in [names(formula)]
        for node in descendants(formula)
        if not _is_linear(node)
    )


def _is_linear(node: Node) -> bool:
    match node:
        case nodes.Binary() | nodes.Fold():
            return node.operator.text in ("+", "-", "*")
        case nodes.Select() | nodes.Coalesce() | nodes.Bounded() | nodes.Call() | nodes.Cast():
            return False
    return True


def _is_of_tensors(value: Value | ItemRun) -> bool:
    match value:
        case Tensor():
            return True
        case Pack():
            return any(map(_is_of_tensors, value.segments))
        case ItemRun():
            return _is_of_tensors(value.element)
    return False


def _numbers(value: Value | ItemRun) -> Iterator[Integer | Truth]:
    match value:
        case Integer() | Truth():
            yield value
        case Tensor():
            for extent in value.shape or ():
                yield from _numbers(extent)
        case Pack():
            for each in value.segments:
                yield from _numbers(each)
        case ItemRun():
            yield from _numbers(value.length)
            yield from _numbers(value.element)


def _with(callee: Specialization, sizes: Mapping[Hashable, int]) -> Specialization:
    known: dict[Tensor, Tensor] = {}

    def other(value: Value) -> Value:
        if isinstance(value, Tensor):
            if value not in known:
                shape = None if value.shape is None else tuple(map(_extent, value.shape))
                known[value] = replace(value, shape=shape)
            return known[value]
        if isinstance(value, Pack) and any(isinstance(each, Tensor) for each in value.segments):
            return Pack([other(each) for each in value.segments], dtype=value.dtype)  # type: ignore[arg-type]
        return substitute(value, sizes)

    def _extent(extent: object) -> object:
        return integers.substitute(extent, sizes) if isinstance(extent, Integer) else extent

    def tensors(values: Mapping[str, TensorValue]) -> dict[str, TensorValue]:
        return {name: tensor_value(other(each)) for name, each in values.items()}

    scope = callee.scope
    values = {symbol: other(value) for symbol, value in scope.values.items()}
    return replace(
        callee,
        scope=ValueScope(scope.template, values, scope.dtypes, scope.composing),
        attributes={name: other(value) for name, value in callee.attributes.items()},
        inputs=tuple(tensor_value(other(each)) for each in callee.inputs),
        outputs=tuple(tensor_value(other(each)) for each in callee.outputs),
        variables=tensors(callee.variables),
        constants=tensors(callee.constants),
    )
