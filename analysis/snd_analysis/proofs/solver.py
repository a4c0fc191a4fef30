"""Integers, conditions and terms of formulas for z3, which decides what follows from what.

z3 is the extra ``snd[proofs]``. Quotients, remainders and products of unknowns are what it may give up on: then nothing
is said.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import reduce
from typing import Any

import z3
from msgspec import Struct

from snd_analysis.compose.formulas import (
    Apply,
    AxisPosition,
    Constant,
    Next,
    Open,
    Read,
    Table,
    Term,
    subterms,
)
from snd_analysis.proofs.goal import Point
from snd_analysis.proofs.limits import MEMORY_MEGABYTES
from snd_analysis.symbolic.integers import (
    Absolute,
    AtLeastZero,
    Atom,
    Extremum,
    Indicator,
    Integer,
    IsZero,
    Junction,
    Known,
    Leaf,
    Power,
    Product,
    Proposition,
    Quotient,
    Sign,
    Truth,
    Variable,
    statement_of,
)
from snd_analysis.symbolic.values import CompileTime

_STEPS = 3000
"""What z3 does in a millisecond, about. Its steps are counted, so that a busy machine does not change verdicts."""

z3.set_param("memory_max_size", MEMORY_MEGABYTES)


class Proved(Struct, frozen=True):
    """It holds for all values."""


class Counterexample(Struct, frozen=True):
    """Values, by the keys of variables, for which it does not hold."""

    values: Mapping[Hashable, int]


class Undecided(Struct, frozen=True):
    """Nothing is found in the time there is, or it depends on data."""

    reason: str


Decision = Proved | Counterexample | Undecided


class Logic:
    """What is known of one case, as z3 reads it.

    ``side`` are the facts about what stands for quotients, extents and elements of tensors.
    """

    def __init__(self) -> None:
        self.side: list[Any] = []
        self._leaves: dict[Hashable, Any] = {}
        self._terms: dict[object, Any] = {}
        self._atoms: dict[Atom, Any] = {}
        self._axes: dict[tuple[Hashable, int], Any] = {}
        self._fresh = 0
        self._solver = z3.SimpleSolver()
        self._told = 0
        self.sizes: list[Any] = []
        """The unknowns that a counterexample has small values of."""

    # ---- integers and conditions -------------------------------------------------------------------------------------
    def integer(self, a: Integer) -> Any:
        """Return an integer of the analysis."""
        total: Any = z3.IntVal(0)
        for monomial, coefficient in a.terms.items():
            factors = [self._atom(atom) for atom, exponent in monomial for _ in range(exponent)]
            total = total + reduce(lambda x, y: x * y, factors, z3.IntVal(coefficient))
        return total

    def truth(self, a: Truth) -> Any:
        """Return a condition of the analysis."""
        match a:
            case Known(parts=(value,)):
                return z3.BoolVal(value)
            case Proposition(parts=(leaf, positive)):
                found = self._proposition(leaf)
                return found if positive else z3.Not(found)
            case AtLeastZero():
                return self.integer(a.slack) >= 0
            case IsZero(parts=(subject, positive)):
                found = self.integer(subject) == 0
                return found if positive else z3.Not(found)
            case Junction():
                parts = [self.truth(each) for each in a.operands]
                return z3.And(parts) if a.conjunction else z3.Or(parts)
        raise TypeError(f"{type(a).__name__} is no condition")

    def _proposition(self, leaf: Leaf) -> Any:
        key = canonical(leaf.key)
        if key not in self._leaves:
            self._leaves[key] = z3.Bool(f"b{len(self._leaves)}")
        return self._leaves[key]

    def leaf(self, leaf: Leaf) -> Any:
        """Return an unknown, with its bounds noted."""
        key = canonical(leaf.key)
        if key not in self._leaves:
            self._leaves[key] = made = z3.Int(f"v{len(self._leaves)}")
            self.sizes.append(made)
        made = self._leaves[key]
        if leaf.low is not None:
            self.side.append(made >= leaf.low)
        if leaf.high is not None:
            self.side.append(made <= leaf.high)
        return made

    def _atom(self, atom: Atom) -> Any:
        if atom not in self._atoms:
            self._atoms[atom] = self._made(atom)
        return self._atoms[atom]

    def _made(self, atom: Atom) -> Any:
        match atom:
            case Variable():
                return self.leaf(atom.leaf)
            case Quotient(parts=(dividend, divisor)):
                return self.quotient(self.integer(dividend), self.integer(divisor))
            case Extremum():
                parts = [self.integer(each) for each in atom.candidates]
                return reduce(_greatest if atom.largest else _least, parts)
            case Absolute(parts=(inner,)):
                value = self.integer(inner)
                return z3.If(value >= 0, value, -value)
            case Sign(parts=(inner,)):
                value = self.integer(inner)
                return z3.If(value > 0, z3.IntVal(1), z3.If(value < 0, z3.IntVal(-1), z3.IntVal(0)))
            case Product(parts=(left, right)):
                return self.integer(left) * self.integer(right)
            case Indicator():
                return z3.If(self.truth(statement_of(atom)), z3.IntVal(1), z3.IntVal(0))
            case Power(parts=(base, exponent)) if exponent.value is not None and 0 <= exponent.value <= 4:
                return reduce(lambda x, y: x * y, [self.integer(base)] * exponent.value, z3.IntVal(1))
        return self.unknown_int()

    def quotient(self, dividend: Any, divisor: Any) -> Any:
        """Return a quotient, rounded down; of any value where the divisor is zero."""
        found, rest = self.unknown_int(), self.unknown_int()
        self.side.append(z3.Implies(divisor != 0, dividend == found * divisor + rest))
        self.side.append(z3.Implies(divisor > 0, z3.And(rest >= 0, rest < divisor)))
        self.side.append(z3.Implies(divisor < 0, z3.And(rest <= 0, rest > divisor)))
        return found

    def unknown_int(self) -> Any:
        """Return an int of which nothing is known."""
        self._fresh += 1
        return z3.Int(f"u{self._fresh}")

    # ---- terms of formulas -------------------------------------------------------------------------------------------
    def point(self, positions: Mapping[int, Any]) -> Point:
        """Return a point of an index space that is like no other, with these indices along some axes."""
        made = _Point()
        self._axes.update({(made, axis): position for axis, position in positions.items()})
        return made

    def term(self, term: Term, point: Point) -> Any:
        """Return a term in a point: an int or a condition; of other types an unknown int."""
        if isinstance(term, AxisPosition):
            return self.axis(point, term.axis)
        key = (point if term.axes or _varies(term) else None, term)
        if key not in self._terms:
            self._terms[key] = self._term(term, point)
        return self._terms[key]

    def axis(self, point: Point, axis: int) -> Any:
        """Return the index along an axis."""
        key = (point, axis)
        if key not in self._axes:
            self._axes[key] = z3.Int(f"i{len(self._axes)}")
        return self._axes[key]

    def _term(self, term: Term, point: Point) -> Any:
        match term:
            case Constant(value=bool(value)):
                return z3.BoolVal(value)
            case Constant(value=int(value)):
                return z3.IntVal(value)
            case Open(value=Integer() as value):
                return self.integer(value)
            case Open(value=Truth() as value):
                return self.truth(value)
            case Table(values=values, dtype="int"):
                index = self.term(term.index, point)
                at = z3.If(index < 0, index + len(values), index)
                found: Any = z3.IntVal(int(values[-1]))
                for place, item in reversed(list(enumerate(values[:-1]))):
                    found = z3.If(at == place, z3.IntVal(int(item)), found)
                return found
            case Apply():
                return self._applied(term, point)
            case Next():
                made = self.unknown_int()
                self.side.append(made >= 0)
                return made
        return self._unknown(term.dtype)

    def _unknown(self, dtype: str) -> Any:
        self._fresh += 1
        return z3.Bool(f"u{self._fresh}") if dtype == "bool" else z3.Int(f"u{self._fresh}")

    def _applied(self, term: Apply, point: Point) -> Any:
        if any(each.dtype not in ("int", "bool") for each in term.operands):
            return self._unknown(term.dtype)
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
                return z3.Not(a) if term.dtype == "bool" else -a
            case "<?", [a, b]:
                return _least(a, b)
            case ">?", [a, b]:
                return _greatest(a, b)
            case "abs", [a]:
                return z3.If(a >= 0, a, -a)
            case "sign", [a]:
                return z3.If(a > 0, z3.IntVal(1), z3.If(a < 0, z3.IntVal(-1), z3.IntVal(0)))
            case "select" | "pick", [c, a, b]:
                return z3.If(c, a, b)
            case "<", [a, b]:
                return a < b
            case "<=", [a, b]:
                return a <= b
            case ">", [a, b]:
                return a > b
            case ">=", [a, b]:
                return a >= b
            case "==", [a, b]:
                return a == b
            case "!=", [a, b]:
                return a != b
            case "&&" | "all", [a, b]:
                return z3.And(a, b)
            case "||" | "any", [a, b]:
                return z3.Or(a, b)
            case "^", [a, b]:
                return z3.Xor(a, b)
            case "=>", [a, b]:
                return z3.Implies(a, b)
            case "position in pack", [index, count]:
                return z3.If(index < 0, index + count, index)
            case "int", [a]:
                return z3.If(a, z3.IntVal(1), z3.IntVal(0)) if term.operands[0].dtype == "bool" else a
        return self._unknown(term.dtype)

    # ---- deciding ----------------------------------------------------------------------------------------------------
    def decide(self, facts: Iterable[Any], goal: Any, milliseconds: int) -> Decision:
        """Return whether a goal follows from facts, or small values for which it does not."""
        solver = self._solver
        solver.add(*self.side[self._told :])
        self._told = len(self.side)
        solver.set("rlimit", milliseconds * _STEPS)
        solver.set("timeout", milliseconds * 10)
        solver.push()
        solver.add(*facts, z3.Not(goal))
        try:
            found = solver.check()
            if found == z3.unsat:
                return Proved()
            if found != z3.sat:
                return Undecided("z3 finds neither a proof nor sizes that break it")
            return self._smallest(solver)
        finally:
            solver.pop()

    def _smallest(self, solver: Any) -> Counterexample:
        model = solver.model()
        total = z3.Sum([z3.If(each >= 0, each, 1 - 2 * each) for each in self.sizes]) if self.sizes else z3.IntVal(0)
        for most in (2, 4, 6, 9, 14, 24, 48, 200):
            solver.push()
            solver.add(total <= most)
            if solver.check() == z3.sat:
                model = solver.model()
                break
            solver.pop()
        values = {key: _number(model, each) for key, each in self._leaves.items()}
        return Counterexample(values)


class _Point:
    """A point without a name."""


def _varies(term: Term) -> bool:
    """Return whether a term without positions may differ from point to point all the same: data, or a count."""
    return any(isinstance(each, Read | Next) for each in subterms(term))


def canonical(key: Hashable) -> Hashable:
    """Return what an unknown was before assertions narrowed it."""
    while True:
        match key:
            case CompileTime(key=("asserted", inner, _, _)) | ("asserted", inner, _, _):
                key = inner
            case _:
                return key


def _number(model: Any, of: Any) -> int:
    value = model.eval(of, model_completion=True)
    return int(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())


def _greatest(a: Any, b: Any) -> Any:
    return z3.If(a >= b, a, b)


def _least(a: Any, b: Any) -> Any:
    return z3.If(a <= b, a, b)
