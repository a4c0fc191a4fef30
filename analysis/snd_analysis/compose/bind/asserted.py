"""Assumptions from assertions about unknown values, which simplify dependent values (2.8)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from snd_analysis.compose.checks.assertion_text import leaves_of
from snd_analysis.compose.scope import ValueScope
from snd_analysis.model import Tensor
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, AtLeastZero, Integer, IsZero, Junction, Leaf, Truth, Variable
from snd_analysis.symbolic.values import CompileTime, OperationError, Pack, Value, substitute


def assume_bounds(scope: ValueScope, condition: Truth) -> None:
    """Let the ints of a scope have the bounds that an assertion demands, ``h > 0``, if no tensor depends on them.

    Other values are simplified by that: ``h + 1 == 0`` is false.
    """
    facts = list(_conjuncts(condition))
    while facts:
        for leaf, value in _narrowed(facts.pop(0)):
            tensors = (each for each in scope.values.values() if _is_tensor(each))
            if not isinstance(leaf.key, CompileTime) or any(
                leaf.key == other.key for each in tensors for other in leaves_of(each)
            ):
                continue
            for symbol, known in scope.values.items():
                if not _is_tensor(known) and any(leaf.key == other.key for other in leaves_of(known)):
                    scope.values[symbol] = _with(known, {leaf.key: value})
            facts = [_fact_with(fact, {leaf.key: value}) for fact in facts]


class Assumptions:
    """The conditions asserted in one definition; they hold wherever its helper symbols have a value."""

    def __init__(self) -> None:
        self._facts: list[Truth] = []
        self._narrowed: dict[Hashable, Integer] = {}
        self._written: dict[Hashable, Integer] = {}
        """The original integers, keyed by the replacement."""

    def add(self, condition: Truth) -> None:
        """Add the condition of an assertion."""
        self._facts += _conjuncts(condition)
        for _ in self._facts:  # one fact may decide another, at most once for each
            known = dict(self._narrowed)
            self._facts = [_fact_with(fact, self._narrowed) for fact in self._facts]
            for fact in self._facts:
                self._take(_without_refuted(fact, self._facts))
            if self._narrowed == known:
                return

    def simplified(self, value: Value) -> Value:
        """Return a value simplified by the assumptions; it is equal wherever they hold."""
        if not self._narrowed or not isinstance(value, Integer | Pack):
            return value
        return _with(_with(value, self._narrowed), self._written)

    def _take(self, fact: Truth) -> None:
        for leaf, value in _narrowed(fact):
            before = self._written.pop(leaf.key, None) or shapes.variable(leaf.key, leaf.name, leaf.low, leaf.high)
            original, new = before.variable, value.variable
            if original is not None:
                self._narrowed[original.key] = value
            if new is not None:  # else it is a number
                self._written[new.key] = before


def _with(value: Value, known: Mapping[Hashable, Integer]) -> Value:
    """Return a value after substitution; unchanged if it then has no value, since no size meets the assertions."""
    try:
        return substitute(value, known)
    except (*shapes.FAILURES, OperationError):
        return value


def _fact_with(fact: Truth, known: Mapping[Hashable, Integer]) -> Truth:
    """Return a condition after substitution; unchanged if it then has no value."""
    try:
        return shapes.substitute(fact, known)
    except shapes.FAILURES:
        return fact


def _conjuncts(condition: Truth) -> Iterator[Truth]:
    if isinstance(condition, Junction) and condition.conjunction:
        yield from condition.operands
    else:
        yield condition


def _without_refuted(fact: Truth, facts: list[Truth]) -> Truth:
    """Return a disjunction without the operands that other facts exclude."""
    if not isinstance(fact, Junction) or fact.conjunction:
        return fact
    excluded = {shapes.not_(each) for each in facts}
    return shapes.or_(*(each for each in fact.operands if each not in excluded)) if excluded else fact


def _narrowed(fact: Truth) -> Iterator[tuple[Leaf, Integer]]:
    """Yield the unknowns that a comparison narrows, each with its replacement."""
    for leaf, low, high in _bounds(fact):
        low = leaf.low if low is None else low if leaf.low is None else max(low, leaf.low)
        high = leaf.high if high is None else high if leaf.high is None else min(high, leaf.high)
        if (low, high) == (leaf.low, leaf.high) or (low is not None and high is not None and low > high):
            continue
        key: Hashable = ("asserted", leaf.key, low, high)
        key = CompileTime(key) if isinstance(leaf.key, CompileTime) else key
        yield leaf, shapes.variable(key, leaf.name, low, high)


def canonical(key: Hashable) -> Hashable:
    """Return the key that an unknown had before assertions narrowed the unknown."""
    while True:
        match key:
            case CompileTime(key=("asserted", inner, _, _)) | ("asserted", inner, _, _):
                key = inner
            case _:
                return key


def _bounds(fact: Truth) -> Iterator[tuple[Leaf, int | None, int | None]]:
    if isinstance(fact, AtLeastZero):
        if len(fact.leaves) == 1:
            (leaf,) = fact.leaves
            form = shapes.as_affine(fact.slack, leaf.key)
            offset = None if form is None else form[1].value
            if form is not None and offset is not None and form[0] in (1, -1):
                yield (leaf, -offset, None) if form[0] == 1 else (leaf, None, offset)
        elif shapes.compare(">=", fact.slack, 0) is not FALSE and fact.slack.constant_term < 0:
            yield from _factors_above_zero(fact.slack - fact.slack.constant_term)
    elif isinstance(fact, IsZero) and not fact.positive:
        yield from _factors_above_zero(fact.parts[0])


def _factors_above_zero(product: Integer) -> Iterator[tuple[Leaf, int, None]]:
    """Yield the unknowns that are above 0 where their product is not 0, since they are not below."""
    if len(product.terms) != 1:
        return
    (monomial,) = product.terms
    for atom, _ in monomial:
        if isinstance(atom, Variable) and atom.leaf.low == 0:
            yield atom.leaf, 1, None


def _is_tensor(value: Value) -> bool:
    if isinstance(value, Pack):
        return any(isinstance(each, Tensor) for each in value.elements)
    return isinstance(value, Tensor)
