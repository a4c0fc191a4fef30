"""What assertions say of attributes whose values are not known: what follows is simplified by it (2.8)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.compose.checks.assertion_text import leaves_of
from snd_analysis.compose.scope import ValueScope
from snd_analysis.model import Tensor
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import AtLeastZero, Integer, Junction, Leaf, Truth
from snd_analysis.symbolic.values import CompileTime, Pack, Value, substitute


def assume_bounds(scope: ValueScope, condition: Truth) -> None:
    """Let the ints of a scope have the bounds that an assertion demands, ``h > 0``, if no tensor depends on them.

    Other values are simplified by that: ``h + 1 == 0`` is false.
    """
    for fact in _conjuncts(condition):
        narrowed = _narrowed(fact)
        if narrowed is None:
            continue
        leaf, value = narrowed
        tensors = (each for each in scope.values.values() if _is_tensor(each))
        if any(leaf.key == other.key for each in tensors for other in leaves_of(each)):
            continue
        for symbol, known in scope.values.items():
            if not _is_tensor(known) and any(leaf.key == other.key for other in leaves_of(known)):
                scope.values[symbol] = substitute(known, {leaf.key: value})


def _conjuncts(condition: Truth) -> Iterator[Truth]:
    if isinstance(condition, Junction) and condition.conjunction:
        yield from condition.operands
    else:
        yield condition


def _narrowed(fact: Truth) -> tuple[Leaf, Integer] | None:
    """An unknown of compile time with the bounds that a comparison gives it."""
    if not isinstance(fact, AtLeastZero) or len(fact.leaves) != 1:
        return None
    (leaf,) = fact.leaves
    form = shapes.as_affine(fact.slack, leaf.key)
    if form is None or not isinstance(leaf.key, CompileTime):
        return None
    factor, offset = form[0], form[1].value
    if offset is None or factor not in (1, -1):
        return None
    low, high = leaf.low, leaf.high
    if factor == 1:
        low = -offset if low is None else max(low, -offset)
    else:
        high = offset if high is None else min(high, offset)
    return leaf, shapes.variable(CompileTime(("asserted", leaf.key, low, high)), leaf.name, low, high)


def _is_tensor(value: Value) -> bool:
    if isinstance(value, Pack):
        return any(isinstance(each, Tensor) for each in value.elements)
    return isinstance(value, Tensor)
