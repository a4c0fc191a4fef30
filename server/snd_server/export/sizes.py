"""Operators whose formulas come to the same nodes for all sizes.

Formulas are written for extents that are numbers. Where they are symbols, they are written for two sizes: if the nodes
are the same, no extent has left a trace in them, and they hold for the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeVar

from msgspec.structs import replace

from snd_analysis.compose import Specialization, ValueScope
from snd_analysis.model import Tensor, TensorValue, tensor_value
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack, Run, Value, substitute
from snd_server.export.errors import Unsuitable

_SIZES = ((3, 2), (5, 3))
"""The least number in place of a symbol, and how far those of two symbols are from each other."""
_Written = TypeVar("_Written")


def for_any_size(callee: Specialization, write: Callable[[Specialization], _Written]) -> _Written:
    """Return what is written for an operator, which is the same for two sizes. Raises Unsuitable if it is not."""
    keys = list(dict.fromkeys(_symbols(callee)))
    if not keys:
        return write(callee)
    first, second = (
        write(_with(callee, {key: least + step * at for at, key in enumerate(keys)})) for least, step in _SIZES
    )
    if first != second:
        raise Unsuitable("its nodes depend on extents that are known in the run only")
    return first


def _symbols(callee: Specialization) -> Iterator[Hashable]:
    for value in (*callee.inputs, *callee.outputs, *callee.attributes.values()):
        for each in _integers(value):
            yield from (leaf.key for leaf in each.leaves)


def _integers(value: Value | Run) -> Iterator[Integer]:
    match value:
        case Integer():
            yield value
        case Tensor():
            for extent in value.shape or ():
                yield from _integers(extent)
        case Pack():
            for each in value.segments:
                yield from _integers(each)
        case Run():
            yield from _integers(value.length)
            yield from _integers(value.element)


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
