"""Three-valued conditions: true, false, or a formula over comparisons and propositions in negation normal form."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Final

from snd_analysis.symbolic.integers.atoms import Indicator, Leaf
from snd_analysis.symbolic.integers.integer import ONE, ZERO, Integer, of_atom
from snd_analysis.symbolic.limits import MOST_CONDITIONS, MOST_KEPT_LITERALS, MOST_LITERALS
from snd_analysis.symbolic.notation import Composed


class Truth(Composed):
    """A condition. Compare with ``is TRUE`` and ``is FALSE``: an unknown condition has no truth value."""

    __slots__ = ("leaves",)

    leaves: frozenset[Leaf]

    def _setup(self, parts: tuple[Any, ...], leaves: frozenset[Leaf]) -> None:
        self.parts = parts
        self.leaves = leaves
        self.hash = hash((type(self), *parts))

    def __bool__(self) -> bool:
        raise TypeError("a condition may be unknown: compare it with TRUE or FALSE by `is`")

    def __repr__(self) -> str:
        return f"Truth({self})"

    @property
    def depth(self) -> int:
        """Depth of nested operations."""
        return max((part.depth for part in self.parts if hasattr(part, "depth")), default=0)

    @property
    def conditions(self) -> int:
        """Number of conditions inside operations, at any depth."""
        return sum(part.conditions for part in self.parts if isinstance(part, Integer))

    @property
    def literals(self) -> int:
        """Number of atomic statements in the condition."""
        return 1


class KnownTruth(Truth):
    """True or false."""

    __slots__ = ()
    parts: tuple[bool]

    def __init__(self, value: bool) -> None:
        self._setup((value,), frozenset())

    def __reduce__(self) -> str:
        return "TRUE" if self.parts[0] else "FALSE"


TRUE: Final = KnownTruth(True)
FALSE: Final = KnownTruth(False)


class AtomicCondition(Truth):
    """A condition that is not composed of others, or its negation."""

    __slots__ = ("positive",)

    def __init__(self, subject: Integer | Leaf, positive: bool) -> None:
        self.positive = positive
        leaves = subject.leaves if isinstance(subject, Integer) else frozenset((subject,))
        self._setup((subject, positive), leaves)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts

    def negated(self) -> AtomicCondition:
        """Return the opposite."""
        return type(self)(self.parts[0], not self.positive)


class Proposition(AtomicCondition):
    """An unknown ``bool``."""

    __slots__ = ()
    parts: tuple[Leaf, bool]


class AtLeastZero(AtomicCondition):
    """``subject >= 0``."""

    __slots__ = ()
    parts: tuple[Integer, bool]

    @property
    def slack(self) -> Integer:
        """Integer that is at least zero where this holds."""
        subject, positive = self.parts
        return subject if positive else -subject - 1


class IsZero(AtomicCondition):
    """``subject == 0``."""

    __slots__ = ()
    parts: tuple[Integer, bool]


class Junction(Truth):
    """The conjunction or disjunction of a set of at least two conditions, none a junction of the same kind."""

    __slots__ = ("_conditions", "_literals", "conjunction", "operands")

    def __init__(self, conjunction: bool, operands: Iterable[Truth]) -> None:
        self.conjunction = conjunction
        self.operands = tuple(dict.fromkeys(operands))
        self._literals = sum(item.literals for item in self.operands)
        self._conditions = sum(item.conditions for item in self.operands)
        leaves: frozenset[Leaf] = frozenset()
        self._setup((conjunction, frozenset(self.operands)), leaves.union(*(item.leaves for item in self.operands)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Junction, (self.conjunction, self.operands)

    @property
    def depth(self) -> int:
        """Depth of nested operations."""
        return max(operand.depth for operand in self.operands)

    @property
    def conditions(self) -> int:
        """Number of conditions inside operations, at any depth."""
        return self._conditions

    @property
    def literals(self) -> int:
        """Number of atomic statements in the condition."""
        return self._literals


def truth(value: bool) -> Truth:
    """Return a known condition."""
    return TRUE if value else FALSE


def proposition(key: Hashable, name: str) -> Truth:
    """Return an unknown ``bool``, such as an attribute; the key alone says whether it is the same as another."""
    return Proposition(Leaf(key, name, 0, 1), True)


def not_(a: Truth) -> Truth:
    """Return ``!a``."""
    match a:
        case KnownTruth():
            return truth(not a.parts[0])
        case AtomicCondition():
            return a.negated()
        case Junction():
            return _junction(not a.conjunction, [not_(operand) for operand in a.operands])
        case _:
            raise TypeError(a)


def and_(*operands: Truth) -> Truth:
    """Return ``a && b``."""
    return _junction(True, operands)


def or_(*operands: Truth) -> Truth:
    """Return ``a || b``."""
    return _junction(False, operands)


def xor(a: Truth, b: Truth) -> Truth:
    """Return ``a ^ b``."""
    return or_(and_(a, not_(b)), and_(not_(a), b))


def implies(a: Truth, b: Truth) -> Truth:
    """Return ``a => b``."""
    return or_(not_(a), b)


def _junction(conjunction: bool, operands: Iterable[Truth]) -> Truth:
    neutral, deciding = truth(conjunction), truth(not conjunction)
    flat: list[Truth] = []
    for operand in operands:
        inner = operand.operands if isinstance(operand, Junction) and operand.conjunction is conjunction else (operand,)
        flat.extend(item for item in inner if item is not neutral)
    if any(item is deciding for item in flat):
        return deciding
    flat = _without_implied(conjunction, list(dict.fromkeys(flat)))
    if len(flat) < 2:
        return flat[0] if flat else neutral
    if any(not_(item) in flat for item in flat if isinstance(item, AtomicCondition)) or _contradict(conjunction, flat):
        return deciding
    whole = Junction(conjunction, flat)
    if whole.literals > MOST_KEPT_LITERALS or whole.conditions > MOST_CONDITIONS:
        return proposition((Junction, whole), "…")
    if any(isinstance(item, Junction) for item in flat) and whole.literals <= MOST_LITERALS:
        number = indicator(whole).value
        if number is not None:
            return truth(bool(number))
    return whole


def _without_implied(conjunction: bool, operands: list[Truth]) -> list[Truth]:
    """Drop conjuncts that another one implies, or disjuncts that imply another one."""
    kept: list[Truth] = []
    for item in operands:
        if any(_implies(other, item) if conjunction else _implies(item, other) for other in kept):
            continue
        kept = [other for other in kept if not (_implies(item, other) if conjunction else _implies(other, item))]
        kept.append(item)
    return kept


def _implies(a: Truth, b: Truth) -> bool:
    """Return whether b certainly holds where a does; find bounds of the same integer, and absorption."""
    if isinstance(a, AtLeastZero) and isinstance(b, AtLeastZero):
        excess = (b.slack - a.slack).value
        return excess is not None and excess >= 0
    if isinstance(a, Junction) and a.conjunction:
        return b in a.operands
    return isinstance(b, Junction) and not b.conjunction and a in b.operands


def _contradict(conjunction: bool, operands: list[Truth]) -> bool:
    """Return whether two operands exclude each other (or, of a disjunction, cover everything)."""
    slacks = [item.slack for item in operands if isinstance(item, AtLeastZero)]
    for position, slack in enumerate(slacks):
        for other in slacks[position + 1 :]:
            total = (slack + other).value
            if total is not None and (total < 0 if conjunction else total >= -1):
                return True
    return False


def indicator(a: Truth) -> Integer:
    """Return 1 where the condition holds, 0 where not: the same polynomial for equal Boolean functions."""
    match a:
        case KnownTruth():
            return ONE if a.parts[0] else ZERO
        case AtomicCondition():
            return of_atom(Indicator(a)) if a.positive else ONE - of_atom(Indicator(a.negated()))
        case Junction():
            result = ONE
            for operand in a.operands:
                result = result * (indicator(operand) if a.conjunction else ONE - indicator(operand))
            return result if a.conjunction else ONE - result
        case _:
            raise TypeError(a)
