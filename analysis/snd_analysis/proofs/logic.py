"""Integers, conditions and terms of formulas of one case, as expressions about the same unknowns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import reduce
from operator import mul
from typing import Any, TypeVar

from snd_analysis.compose import canonical
from snd_analysis.compose.formulas import (
    Apply,
    AxisPosition,
    Constant,
    ConstantItem,
    Next,
    OpenValue,
    Read,
    Term,
    subterms,
)
from snd_analysis.proofs.goal import (
    Expression,
    Fact,
    Goal,
    Point,
    all_of,
    any_of,
    choose,
    equal,
    greatest,
    implies,
    least,
    negation,
    number,
    total,
    truth,
    unknown,
)
from snd_analysis.proofs.polynomials import Polynomial, Polynomials, divided, plus
from snd_analysis.proofs.solver import Counterexample, Decision, Solver
from snd_analysis.symbolic.integers import (
    Absolute,
    AtLeastZero,
    Atom,
    Extremum,
    Indicator,
    Integer,
    IsZero,
    Junction,
    KnownTruth,
    Leaf,
    Power,
    Product,
    Proposition,
    Quotient,
    Sign,
    Truth,
    Variable,
    spelled,
    spelling,
    statement_of,
)


def _spelled_factor(factor: tuple[Atom, int]) -> tuple[str, int]:
    atom, exponent = factor
    return spelling(atom), exponent


_Subject = TypeVar("_Subject", bound=Hashable)
_Made = TypeVar("_Made")


_SHOWN = 4
"""Names that are shown where products stand in the way."""


class Logic:
    """The knowledge about one case.

    Apart from the given facts, it has those about unknowns for quotients and extents.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._side: list[Fact] = []
        self._leaves: dict[Hashable, Expression] = {}
        self._terms: dict[object, Expression] = {}
        self._integers: dict[Integer, Expression] = {}
        self._atoms: dict[Atom, Expression] = {}
        self._axes: dict[tuple[Hashable, int], Expression] = {}
        self._polynomials = Polynomials()
        self._quotients: dict[object, Expression] = {}
        self._unknowns = 0
        self._names: dict[int, str] = {}
        """Names of extents and attributes by the numbers of their unknowns."""
        self.sizes: list[Expression] = []
        """The unknowns that a counterexample has small values of."""
        self.nonzero: set[object] = set()
        """Divisors, with the conditions around them, for which facts state that they are not zero."""
        self.declared: dict[object, tuple[Goal, ...]] = {}
        """The conditions of expressions in declarations. No key refers to this object: z3 would not be freed."""
        self._once: dict[object, Any] = {}

    def once(self, of: _Subject, make: Callable[[_Subject], _Made]) -> _Made:
        """Return the result of ``make`` for an object, computed once per object."""
        key = (make, of)
        if key not in self._once:
            self._once[key] = make(of)
        made: _Made = self._once[key]
        return made

    # ---- integers and conditions -------------------------------------------------------------------------------------
    def integer(self, a: Integer) -> Expression:
        """Return an integer of the analysis."""
        if a not in self._integers:
            # The answers of z3 depend on the order of terms, which hashes would decide.
            terms = [(sorted(key, key=_spelled_factor), factor) for key, factor in a.terms.items()]
            self._integers[a] = total(
                reduce(mul, (self._atom(atom) for atom, exponent in monomial for _ in range(exponent)), number(factor))
                for monomial, factor in sorted(terms, key=lambda term: [*map(_spelled_factor, term[0])])
            )
        return self._integers[a]

    def truth(self, a: Truth) -> Expression:
        """Return a condition of the analysis."""
        match a:
            case KnownTruth(parts=(value,)):
                return truth(value)
            case Proposition(parts=(leaf, positive)):
                found = self._leaf(leaf, True)
                return found if positive else negation(found)
            case AtLeastZero():
                return self.integer(a.slack) >= 0
            case IsZero(parts=(subject, positive)):
                found = equal(self.integer(subject), 0)
                return found if positive else negation(found)
            case Junction():
                parts = [self.truth(each) for each in sorted(a.operands, key=spelled)]
                return all_of(*parts) if a.conjunction else any_of(*parts)
        raise TypeError(f"{type(a).__name__} is no condition")

    def _leaf(self, leaf: Leaf, is_condition: bool = False) -> Expression:
        key = canonical(leaf.key)
        if key not in self._leaves:
            self._leaves[key] = made = self._unknown(is_condition)
            self._names[made.value] = leaf.name
            if not is_condition:
                self.sizes.append(made)
        return self._leaves[key]

    def _atom(self, atom: Atom) -> Expression:
        if atom not in self._atoms:
            self._atoms[atom] = self._made(atom)
        return self._atoms[atom]

    def _made(self, atom: Atom) -> Expression:
        match atom:
            case Variable(leaf=leaf):
                made = self._leaf(leaf)
                if leaf.low is not None:
                    self._side.append(Fact(made >= leaf.low))
                if leaf.high is not None:
                    self._side.append(Fact(made <= leaf.high))
                return made
            case Quotient(parts=(dividend, divisor)):
                return self.quotient(self.integer(dividend), self.integer(divisor))
            case Extremum():
                return reduce(
                    greatest if atom.largest else least, map(self.integer, sorted(atom.candidates, key=spelled))
                )
            case Absolute(parts=(inner,)):
                return _absolute(self.integer(inner))
            case Sign(parts=(inner,)):
                return _sign(self.integer(inner))
            case Product(parts=(left, right)):
                return self.integer(left) * self.integer(right)
            case Indicator():
                return choose(self.truth(statement_of(atom)), number(1), number(0))
            case Power(parts=(base, exponent)) if exponent.value is not None and 0 <= exponent.value <= 4:
                return reduce(mul, [self.integer(base)] * exponent.value, number(1))
        return self.unknown_int()

    def quotient(self, dividend: Expression, divisor: Expression) -> Expression:
        """Return a quotient, rounded down; of any value where the divisor is zero."""
        by = self._polynomials.of(divisor)
        taken, rest = divided(self._polynomials, self._polynomials.of(dividend), by)
        # ``(a * m + b) / m`` is ``a + b / m``, which shortens quotients of quotients and of sums of multiples.
        key = (tuple(sorted(rest.items())), tuple(sorted(by.items())))
        if key not in self._quotients:
            expression = self._polynomials.expression
            self._quotients[key] = self._quotient(expression(rest), expression(by))
        return self._polynomials.expression(taken) + self._quotients[key]

    def _quotient(self, dividend: Expression, divisor: Expression) -> Expression:
        is_known = divisor.operation == "constant"
        if dividend.operation == "constant" and (not dividend.value or (is_known and divisor.value)):
            return number(dividend.value // divisor.value if divisor.value else 0)
        found, rest = self.unknown_int(), self.unknown_int()
        facts = [
            implies(negation(equal(divisor, 0)), equal(dividend, found * divisor + rest)),
            implies(divisor > 0, all_of(rest >= 0, rest < divisor)),
            implies(divisor < 0, all_of(rest <= 0, rest > divisor)),
        ]
        if not is_known:
            # It follows, but only by way of products.
            facts.append(implies(all_of(divisor > 0, dividend >= 0), all_of(found >= 0, found <= dividend)))
            facts.append(implies(all_of(divisor > 0, dividend < 0), all_of(found < 0, found >= dividend)))
            facts.append(implies(all_of(dividend >= 0, dividend < divisor), equal(found, 0)))
        self._side.extend(Fact(each, found.value) for each in facts)
        return found

    def polynomial(self, integer: Expression) -> Polynomial:
        """Return an integer as a polynomial: equal ones look alike."""
        return self._polynomials.of(integer)

    def same(self, first: Expression, second: Expression) -> Expression:
        """Return whether two integers are equal; a constant if algebra tells."""
        difference = plus(self.polynomial(first), self.polynomial(second), -1)
        return equal(self._polynomials.expression(difference), 0)

    def define(self, condition: Expression, unknown_: Expression) -> None:
        """Note a condition as the fact that defines an unknown."""
        self._side.append(Fact(condition, unknown_.value))

    def unknown_int(self) -> Expression:
        """Return an unknown int."""
        return self._unknown(False)

    def _unknown(self, is_condition: bool) -> Expression:
        self._unknowns += 1
        return unknown(self._unknowns, is_condition)

    # ---- terms of formulas -------------------------------------------------------------------------------------------
    def point(self, positions: Mapping[int, Expression]) -> Point:
        """Return a point of an index space that is like no other, with these indices along some axes."""
        made = _Point()
        self._axes.update({(made, axis): position for axis, position in positions.items()})
        return made

    def term(self, term: Term, point: Point) -> Expression:
        """Return a term in a point: an int or a condition; of other types an unknown int."""
        if isinstance(term, AxisPosition):
            return self.axis(point, term.axis)
        key = (point if term.axes or _varies(term) else None, term)
        if key not in self._terms:
            self._terms[key] = self._term(term, point)
        return self._terms[key]

    def axis(self, point: Point, axis: int) -> Expression:
        """Return the index along an axis."""
        key = (point, axis)
        if key not in self._axes:
            self._axes[key] = self.unknown_int()
        return self._axes[key]

    def _term(self, term: Term, point: Point) -> Expression:
        match term:
            case Constant(value=bool(value)):
                return truth(value)
            case Constant(value=int(value)):
                return number(value)
            case OpenValue(value=Integer() as value):
                return self.integer(value)
            case OpenValue(value=Truth() as value):
                return self.truth(value)
            case ConstantItem(values=values, dtype="int"):
                index = self.term(term.index, point)
                at = choose(index < 0, index + len(values), index)
                found = number(int(values[-1]))
                for place, item in reversed(list(enumerate(values[:-1]))):
                    found = choose(equal(at, place), number(int(item)), found)
                return found
            case Apply():
                return self._applied(term, point)
            case Next():
                made = self.unknown_int()
                self._side.append(Fact(made >= 0))
                return made
        return self._unknown(term.dtype == "bool")

    def _applied(self, term: Apply, point: Point) -> Expression:
        if any(each.dtype not in ("int", "bool") for each in term.operands):
            return self._unknown(term.dtype == "bool")
        operands = [self.term(each, point) for each in term.operands]
        match term.operation, operands:
            case "+", [a, b]:
                return a + b
            case "-", [a, b]:
                return a - b
            case "*", [a, b]:
                return a * b
            case "/", [a, b]:
                return self.quotient(a, b)
            case "\\", [a, b]:
                return -self.quotient(-a, b)
            case "%", [a, b]:
                return a - b * self.quotient(a, b)
            case "negate" | "not", [a]:
                return negation(a) if term.dtype == "bool" else -a
            case "<?", [a, b]:
                return least(a, b)
            case ">?", [a, b]:
                return greatest(a, b)
            case "abs", [a]:
                return _absolute(a)
            case "sign", [a]:
                return _sign(a)
            case "select" | "pick", [c, a, b]:
                return choose(c, a, b)
            case "<", [a, b]:
                return a < b
            case "<=", [a, b]:
                return a <= b
            case ">", [a, b]:
                return a > b
            case ">=", [a, b]:
                return a >= b
            case "==", [a, b]:
                return equal(a, b)
            case "!=", [a, b]:
                return negation(equal(a, b))
            case "&&" | "all", [a, b]:
                return all_of(a, b)
            case "||" | "any", [a, b]:
                return any_of(a, b)
            case "^", [a, b]:
                return negation(equal(a, b))
            case "=>", [a, b]:
                return implies(a, b)
            case "position in pack", [index, count]:
                return choose(index < 0, index + count, index)
            case "int", [a]:
                return choose(a, number(1), number(0)) if term.operands[0].dtype == "bool" else a
        return self._unknown(term.dtype == "bool")

    # ---- deciding ----------------------------------------------------------------------------------------------------
    def holds(self, goal: Goal, milliseconds: int) -> bool:
        """Return whether a goal is proved, or a condition that is enough for it."""
        if goal.holds or goal.goal is None:
            return goal.holds
        if goal.enough is not None and self.is_proved(*goal.enough, milliseconds):
            return True
        return self.is_proved(goal.facts, goal.goal, milliseconds)

    def is_proved(self, facts: Iterable[Expression], goal: Expression, milliseconds: int) -> bool:
        """Return whether a condition is found to follow from facts."""
        return self._solver.is_proved(self._all(facts), goal, milliseconds)

    def decide(self, facts: Iterable[Expression], goal: Expression, milliseconds: int) -> Decision:
        """Return whether a goal follows from facts, or small values, by unknowns, for which it does not."""
        decision = self._solver.decide(self._all(facts), goal, self.sizes, milliseconds)
        if isinstance(decision, Counterexample):
            return Counterexample({key: decision.values.get(each.value, 0) for key, each in self._leaves.items()})
        return decision

    def obstacle(self, goal: Expression) -> str:
        """Return why a goal is hard to decide: the names that it multiplies, or by which it divides."""
        definitions: dict[int, list[Expression]] = {}
        for each in self._side:
            if each.defines is not None:
                definitions.setdefault(each.defines, []).append(each.condition)
        pending, seen, factors = [goal], {goal}, set[int]()
        while pending:
            expression = pending.pop()
            more = list(expression.operands)
            if expression.operation == "unknown":
                more += definitions.pop(expression.value, ())
            if expression.operation == "*" and not any(each.operation == "constant" for each in expression.operands):
                factors |= expression.unknowns
            pending += [each for each in more if each not in seen]
            seen.update(more)
        names = list(dict.fromkeys(self._names[each] for each in sorted(factors) if each in self._names))
        if not names:
            return ""
        shown = ", ".join(f"'{each}'" for each in names[:_SHOWN])
        return f"neither proved nor refuted: it needs more about products and quotients with {shown} than snd knows"

    def _all(self, facts: Iterable[Expression]) -> list[Fact]:
        return [*map(Fact, facts), *self._side]


class _Point:
    """A point without a name."""


def _varies(term: Term) -> bool:
    """Return whether a term without positions may differ from point to point all the same: data, or a count."""
    return any(isinstance(each, Read | Next) for each in subterms(term))


def _absolute(a: Expression) -> Expression:
    return choose(a >= 0, a, -a)


def _sign(a: Expression) -> Expression:
    return choose(a > 0, number(1), choose(a < 0, number(-1), number(0)))
