"""Elements of small tensors of ints, which may depend on the extents of inputs.

Exporters compute shapes by nodes: ``Shape``, ``Gather``, ``Concat`` and so on. Where the text needs their result, it is
an expression of extents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, UntranslatableError
from snd_server.exchange.onnx_import.limits import MOST_CONTENTS
from snd_server.exchange.onnx_import.source import Array

if TYPE_CHECKING:
    from snd_server.exchange.onnx_import.node import OnnxNode

_Rule: TypeAlias = "Callable[[OnnxNode], Array | None]"
_RULES: dict[str, _Rule] = {}


def contents_of(node: OnnxNode) -> Array | None:
    """Return the elements of the result of a node; None if they are not known."""
    rule = _RULES.get(node.kind)
    if rule is None or node.source.domain:
        return None
    try:
        found = rule(node)
    except (UntranslatableError, ValueError, IndexError, TypeError, AttributeError, integers.DivisionByZero):
        return None  # it is no such computation, or a wrong one, which its translation says
    return found if found is not None and found.size <= MOST_CONTENTS else None


def _rule(*kinds: str) -> Callable[[_Rule], _Rule]:
    def register(function: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(kinds, function))
        return function

    return register


def _elements(node: OnnxNode, number: int) -> Array:
    found = node.input(number).integers
    if found is None:
        raise UntranslatableError("not known")
    return found


def _objects(items: Any) -> Array:
    found = np.empty(len(items), object)
    found[:] = items
    return found


def _each(function: Callable[..., Integer]) -> Callable[..., Any]:
    vectorized = np.frompyfunc(function, 2, 1)

    def apply(one: Array, other: Array) -> Any:
        return np.asarray(vectorized(one, other), object)

    return apply


@_rule("Shape")
def _shape(node: OnnxNode) -> Array:
    shape = node.input(0).shape
    begin, end, _ = slice(node.number("start", 0), node.attribute("end")).indices(len(shape))
    return _objects(shape[begin:end])


@_rule("Size")
def _size(node: OnnxNode) -> Array:
    return np.asarray(prod(node.input(0).shape, start=integers.constant(1)), object)


@_rule("Identity")
def _identity(node: OnnxNode) -> Array:
    return _elements(node, 0)


@_rule("Cast")
def _cast(node: OnnxNode) -> Array | None:
    return _elements(node, 0) if node.number("to") in (6, 7) else None


@_rule("Gather")
def _gather(node: OnnxNode) -> Array | None:
    indices = node.input(1).array
    return None if indices is None else np.asarray(np.take(_elements(node, 0), indices, node.number("axis", 0)), object)


@_rule("Concat")
def _concat(node: OnnxNode) -> Array:
    parts = [_elements(node, at) for at in range(len(node.inputs))]
    return np.concatenate(parts, node.number("axis", 0))


@_rule("Slice")
def _slice(node: OnnxNode) -> Array:
    x = _elements(node, 0)
    begins, ends = node.ints(1, "starts") or [], node.ints(2, "ends") or []
    axes = node.ints(3, "axes") or list(range(len(begins)))
    strides = node.ints(4) or [1] * len(begins)
    where = [slice(None)] * x.ndim
    for axis, begin, end, stride in zip(axes, begins, ends, strides, strict=True):
        where[axis] = slice(begin, end, stride) if end >= -x.shape[axis] or stride > 0 else slice(begin, None, stride)
    return np.asarray(x[tuple(where)], object)


@_rule("Squeeze")
def _squeeze(node: OnnxNode) -> Array:
    axes = node.ints(1, "axes")
    return np.asarray(np.squeeze(_elements(node, 0), None if axes is None else tuple(axes)), object)


@_rule("Unsqueeze")
def _unsqueeze(node: OnnxNode) -> Array:
    return np.asarray(np.expand_dims(_elements(node, 0), tuple(node.ints(1, "axes") or ())), object)


@_rule("Reshape")
def _reshape(node: OnnxNode) -> Array:
    return np.asarray(_elements(node, 0).reshape(node.ints(1, "shape") or ()), object)


@_rule("Add", "Sub", "Mul")
def _arithmetic(node: OnnxNode) -> Array:
    one, other = _elements(node, 0), _elements(node, 1)
    return np.asarray({"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[node.kind](one, other), object)


@_rule("Div")
def _divide(node: OnnxNode) -> Array | None:
    found = np.frompyfunc(_quotient, 2, 1)(_elements(node, 0), _elements(node, 1))
    quotients = np.asarray(found, object)
    return None if any(each is None for each in quotients.flat) else quotients


def _quotient(one: Integer, other: Integer) -> Integer | None:
    """Return a quotient rounded towards zero, where ours are rounded down; None if they may differ."""
    if _is_natural(one) and _is_natural(other):
        return integers.floor_divide(one, other)
    low, _ = integers.bounds(one)
    if low is None or other.value is None or low <= -other.value:
        return None
    # A quotient between -1 and 0 becomes 0, and -1 if it is rounded down.
    return integers.maximum(integers.floor_divide(one, other), integers.constant(0))


@_rule("Mod")
def _modulo(node: OnnxNode) -> Array:
    return np.asarray(_each(integers.remainder)(_elements(node, 0), _elements(node, 1)), object)


@_rule("Min", "Max")
def _extreme(node: OnnxNode) -> Array:
    function = _each(integers.minimum if node.kind == "Min" else integers.maximum)
    found = _elements(node, 0)
    for at in range(1, len(node.inputs)):
        found = function(found, _elements(node, at))
    return found


@_rule("Neg")
def _negate(node: OnnxNode) -> Array:
    return np.asarray(-_elements(node, 0), object)


@_rule("ReduceProd", "ReduceSum")
def _reduce(node: OnnxNode) -> Array | None:
    x = _elements(node, 0)
    if x.ndim != 1 or not x.size:
        return None
    found = prod(x[1:], start=x[0]) if node.kind == "ReduceProd" else sum(x[1:], start=x[0])
    return _objects([found]) if node.number("keepdims", 1) else np.asarray(found, object)


@_rule("ReduceMin", "ReduceMax")
def _reduce_extreme(node: OnnxNode) -> Array | None:
    x = _elements(node, 0)
    if x.ndim != 1 or not x.size:
        return None
    found = reduce(integers.minimum if node.kind == "ReduceMin" else integers.maximum, x)
    return _objects([found]) if node.number("keepdims", 1) else np.asarray(found, object)


@_rule("Where")
def _where(node: OnnxNode) -> Array | None:
    condition = node.input(0).array
    return None if condition is None else np.where(condition, _elements(node, 1), _elements(node, 2))


@_rule("Expand")
def _expand(node: OnnxNode) -> Array:
    x, shape = _elements(node, 0), node.ints(1) or []
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape)))


@_rule("ConstantOfShape")
def _uniform(node: OnnxNode) -> Array | None:
    value, shape = node.attribute("value"), node.ints(0) or []
    if value is None or value.dtype.kind not in "iu" or prod(shape) > MOST_CONTENTS:
        return None
    return np.full(tuple(shape), integers.constant(int(value.reshape(-1)[0])), object)


def _is_natural(value: Integer) -> bool:
    low, _ = integers.bounds(value)
    return low is not None and low >= 0


def comparison_of(node: OnnxNode) -> Array | None:
    """Return the result of comparing ints that depend on extents at most; None if it is undecided."""
    compare = _COMPARISONS.get(node.kind)
    if compare is None or node.source.domain or any(not isinstance(each, Data) for each in node.inputs):
        return None
    one, other = node.input(0), node.input(1)
    if one.integers is None or other.integers is None:
        return None
    found = np.frompyfunc(compare, 2, 1)(one.integers, other.integers)
    decided = np.asarray(found, object)
    return decided.astype(np.bool_) if all(each is not None for each in decided.flat) else None


def _equal(one: Integer, other: Integer) -> bool | None:
    low, high = integers.bounds(one - other)
    if low is not None and high is not None and low == high == 0:
        return True
    return False if (low is not None and low > 0) or (high is not None and high < 0) else None


def _less(one: Integer, other: Integer) -> bool | None:
    low, high = integers.bounds(one - other)
    if high is not None and high < 0:
        return True
    return False if low is not None and low >= 0 else None


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


_COMPARISONS: dict[str, Callable[[Integer, Integer], bool | None]] = {
    "Equal": _equal,
    "Less": _less,
    "Greater": lambda one, other: _less(other, one),
    "LessOrEqual": lambda one, other: _not(_less(other, one)),
    "GreaterOrEqual": lambda one, other: _not(_less(one, other)),
}
