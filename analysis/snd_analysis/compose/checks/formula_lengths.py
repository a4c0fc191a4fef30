"""Lengths of packed assignments: slices of tensors that are computed with item by item (2.12)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.scope import ValueScope
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.symbolic.values import UNDEFINED, Pack


def packed_length(scope: ValueScope, formula: nodes.Lowering) -> None:
    """Compare the lengths of all packs in a formula. Raise EvaluationError at the first that differ."""
    value = _length(scope, formula.value)
    symbol = scope.template.resolution.targets.get(formula.target.name)
    if not isinstance(symbol, Symbol) or value is None:
        return
    written = _slice_length(scope, symbol, formula.target.indices[-1])
    if written is not None and shapes.decide_equal(written, value) is EqualityVerdict.DIFFERENT:
        message = f"the left side is a pack of {written} values here, the right side one of {value}"
        raise EvaluationError(formula.value, rules.LENGTH_MISMATCH, message)


def _length(scope: ValueScope, node: nodes.Node) -> Integer | None:
    """Return the length of a packed value; None if it is single or not known."""
    match node:
        case nodes.Subscript(target=nodes.Qualified() as target, index=index):
            symbol = scope.template.resolution.targets.get(target)
            return _slice_length(scope, symbol, index) if isinstance(symbol, Symbol) and symbol.is_tensor else None
        case nodes.Parenthesized(inner=inner):
            return _length(scope, inner)
        case nodes.Unary(operand=operand):
            return _length(scope, operand)
        case nodes.Binary(left=left, right=right):
            return _common(node, _length(scope, left), _length(scope, right))
        case nodes.Select(condition=condition, consequent=consequent, alternative=alternative):
            _length(scope, condition)
            first = _length(scope, consequent)
            return first if alternative is None else first or _length(scope, alternative)
        case nodes.Coalesce(value=value):
            return _length(scope, value)
        case nodes.Call(arguments=(argument,)):
            return _length(scope, argument)
        case nodes.Cast(value=value) if value is not None:
            return _length(scope, value)
    return None


def _common(node: nodes.Node, first: Integer | None, second: Integer | None) -> Integer | None:
    if first is None or second is None:
        return first if second is None else second
    if shapes.decide_equal(first, second) is EqualityVerdict.DIFFERENT:
        message = f"these packs have different lengths here: {first} and {second}"
        raise EvaluationError(node, rules.LENGTH_MISMATCH, message)
    return first


def _slice_length(scope: ValueScope, symbol: Symbol, index: nodes.Index) -> Integer | None:
    """Return how many values an access with a slice of one dimension gives; None without one."""
    tensor = scope.values.get(symbol, UNDEFINED)
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        return None
    slices = [(at, item) for at, item in enumerate(index.items) if isinstance(item, nodes.Range)]
    plain = not any(isinstance(item, nodes.Expanded | nodes.Zip) for item in index.items)
    extents = Pack(tensor.shape, dtype="int").items
    if len(slices) != 1 or not plain or extents is None or len(extents) != len(index.items):
        return None
    at, part = slices[0]
    extent = extents[at]
    if not isinstance(extent, Integer):
        return None
    if part.first is None and part.last is None and part.step is None:
        return extent
    if part.step is not None:
        return None
    first = shapes.constant(0) if part.first is None else scope.attempt(part.first)
    last = extent if part.last is None else scope.attempt(part.last)
    if not isinstance(first, Integer) or not isinstance(last, Integer):
        return None
    low = shapes.bounds(first)[0]
    high = shapes.bounds(last)[0]
    return shapes.maximum(last - first, 0) if low is not None and low >= 0 and high is not None and high >= 0 else None
