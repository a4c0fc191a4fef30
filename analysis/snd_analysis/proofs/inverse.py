"""The point of a formula that writes an element, calculated from the element.

An index that is a sum of multiples is taken apart by quotients and remainders. Quotients and remainders of one index
are put together again: ``i / w = q`` and ``i % w = r`` mean ``i = q * w + r``. In ``t(i) + j``, with any ``t`` such as
``i * (i + 1) / 2``, the index ``i`` is the last one that is not beyond the element: there is one, because ``t`` begins
at or below the element and ends above it. Nothing relies on the result: coverage proves that the point writes the
element, and that the element of a point gives back the point.

The second proof is about injectivity, so the point must be a function of the element. A quotient by zero is not:
simplified, ``(i * m) / m`` is ``i`` for every element. ``divides`` states that no such quotient is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import mul

from snd_analysis.compose.formulas import IN_PACK, Apply, AxisPosition, Formula, Next, Read, Term, subterms
from snd_analysis.proofs.goal import Expression, all_of, choose, equal, implies, negation, number
from snd_analysis.proofs.logic import Logic

_NOTHING: Mapping[int, Expression] = {}
Step = tuple[Term, int, Expression]
"""A term of one axis, the axis, and the last position where the term is not beyond an element."""
_Digit = tuple[Term, Term]
"""A dividend and a divisor."""


def inverse(
    formula: Formula,
    indices: Sequence[Term],
    cells: Sequence[Expression],
    logic: Logic,
    known: Mapping[int, Expression] = _NOTHING,
) -> _Inverse:
    """Return the positions for which indices are the coordinates of an element, with the ``known`` ones."""
    found = _Inverse(formula, logic)
    found.positions.update(known)
    for index, cell in zip(indices, cells, strict=True):
        found.solve(index, cell)
    found.combine()
    return found


class _Inverse:
    """Positions by axes, as far as they are known."""

    def __init__(self, formula: Formula, logic: Logic) -> None:
        self._formula = formula
        self._logic = logic
        self.positions: dict[int, Expression] = {}
        self._quotients: dict[_Digit, Expression] = {}
        self._remainders: dict[_Digit, Expression] = {}
        self._choices: list[tuple[Apply, Expression]] = []
        self._sums: list[tuple[list[tuple[Term, bool]], Expression]] = []
        self.steps: list[Step] = []
        """Terms of one axis that are searched for the last position not beyond an element, with this position."""
        self.divides: list[Expression] = []
        """Conditions that the divisors in the positions are not zero."""

    def solve(self, index: Term, cell: Expression) -> None:
        """Note positions for which an index has a value."""
        match index:
            case AxisPosition(axis=axis):
                self.positions.setdefault(axis, cell)
            case Apply(operation="negate", operands=(operand,)):
                self.solve(operand, -cell)
            case Apply(operation=operation, operands=(position, _)) if operation == IN_PACK:
                self.solve(position, cell)
            case Apply(operation="*", operands=(left, right)) if not left.axes or not right.axes:
                self._solve_sum(index, cell)
            case Apply(operation="/", operands=(dividend, divisor)) if not divisor.axes:
                self._quotients.setdefault((dividend, divisor), cell)
            case Apply(operation="%", operands=(dividend, divisor)) if not divisor.axes:
                self._remainders.setdefault((dividend, divisor), cell)
            case Apply(operation="select"):
                self._choices.append((index, cell))
            case Apply(operation="+" | "-"):
                self._solve_sum(index, cell)

    def _constant(self, term: Term) -> Expression:
        """Return a term without indices."""
        return self._logic.term(term, self._formula)

    def _at_known(self, term: Term) -> Expression:
        """Return a term of known positions."""
        return self._logic.term(term, self._logic.point(self.positions) if term.axes else self._formula)

    def _quotient(self, dividend: Expression, divisor: Expression) -> Expression:
        """Return a quotient, and note that its divisor must not be zero."""
        self.divides.append(negation(equal(divisor, 0)))
        return self._logic.quotient(dividend, divisor)

    def _solve_sum(self, index: Term, cell: Expression) -> None:
        """Take a sum of multiples apart, such as ``i * (m * n) + j * n + k``: each is a quotient of the rest."""
        scaled: list[tuple[Term, Expression]] = []
        others: list[tuple[Term, bool]] = []
        offset = number(0)
        for term, is_positive in _addends(index):
            multiplied, factors = _factors(term) if is_positive else (term, ())
            if term.axes <= self.positions.keys():
                offset = offset + self._at_known(term) * (1 if is_positive else -1)
            elif not factors:
                others.append((term, is_positive))
            else:
                scaled.append((multiplied, reduce(mul, map(self._constant, factors))))
        # The rest is not negative: the added terms, or in ``h - 1 - i`` the offset and the subtracted terms.
        is_ascending = all(is_positive for _, is_positive in others)
        cell = cell - offset if is_ascending else cell
        for multiple, by in self._by_size(scaled):
            quotient = self._quotient(cell, by)
            self.solve(multiple, quotient)
            cell = cell - quotient * by
        cell = cell if is_ascending else cell - offset
        if len(others) > 1:
            self._sums.append((others, cell))
        elif others:
            self._solve_addend(*others[0], cell)

    def _solve_addend(self, term: Term, is_positive: bool, cell: Expression) -> None:
        self.solve(term, cell if is_positive else -cell)

    def _by_size(self, scaled: list[tuple[Term, Expression]]) -> list[tuple[Term, Expression]]:
        """Return multiples with the greatest factors first. A factor that another factor divides is greater."""

        def size(each: tuple[Term, Expression]) -> tuple[int, int]:
            polynomial = self._logic.polynomial(each[1])
            return max(map(len, polynomial), default=0), sum(map(abs, polynomial.values()))

        return sorted(scaled, key=size, reverse=True)

    def combine(self) -> None:
        """Put quotients and remainders together, and decide choices, until nothing new is found."""
        while self._combined() or self._chosen() or self._summed() or self._searched():
            pass
        for (dividend, divisor), value in self._remainders.items():
            self._turned(dividend, self._constant(divisor), value)
        for addends, cell in self._sums:
            axes = frozenset[int]().union(*(term.axes for term, _ in addends))
            if len(axes) == 1:
                # A sum such as ``i / 2 + (i + 1) / 2`` may be the index itself.
                self.positions.setdefault(next(iter(axes)), cell)

    def _combined(self) -> bool:
        """Solve one dividend whose quotient and remainder are known; return whether there was one."""
        for (dividend, divisor), remainder in self._remainders.items():
            by = self._constant(divisor)
            quotient = self._quotient_of(dividend, divisor)
            if quotient is not None:
                del self._remainders[dividend, divisor]
                self.solve(dividend, quotient * by + remainder)
                return True
            shifted = self._unshifted(dividend, remainder)
            if shifted is not None and self._quotient_of(shifted[0], divisor) is not None:
                del self._remainders[dividend, divisor]
                self._remainders[shifted[0], divisor] = shifted[1] - by * self._quotient(shifted[1], by)
                return True
        return False

    def _unshifted(self, dividend: Term, value: Expression) -> tuple[Term, Expression] | None:
        """Return the term to which a dividend adds a number, or which it subtracts, and its value."""
        match dividend:
            case Apply(operation="+", operands=(left, right)) if not right.axes:
                return left, value - self._constant(right)
            case Apply(operation="+", operands=(left, right)) if not left.axes:
                return right, value - self._constant(left)
            case Apply(operation="-", operands=(left, right)) if not right.axes:
                return left, value + self._constant(right)
            case Apply(operation="-", operands=(left, right)) if not left.axes:
                return right, self._constant(left) - value
        return None

    def _quotient_of(self, dividend: Term, divisor: Term) -> Expression | None:
        """Return a known quotient; ``p / k / m`` is known as ``p / (k * m)``, too."""
        of = self._logic.polynomial
        by = of(self._constant(divisor))
        for (other, known), value in self._quotients.items():
            if other is dividend and of(self._constant(known)) == by:
                return value
        match dividend:
            case Apply(operation="/", operands=(inner, first)) if not first.axes:
                whole = of(self._constant(first) * self._constant(divisor))
                for (other, known), value in self._quotients.items():
                    if other is inner and of(self._constant(known)) == whole:
                        return value
        return None

    def _summed(self) -> bool:
        """Solve one sum with a single unknown addend; return whether there was one."""
        for at, (addends, cell) in enumerate(self._sums):
            left = [each for each in addends if not each[0].axes <= self.positions.keys()]
            if len(left) > 1:
                continue
            del self._sums[at]
            here = self._logic.point(self.positions)
            for term, is_positive in addends:
                if (term, is_positive) not in left:
                    value = self._logic.term(term, here)
                    cell = cell - value if is_positive else cell + value
            for each in left:
                self._solve_addend(*each, cell)
            return True
        return False

    def _searched(self) -> bool:
        """Solve one sum ``t(i) + j``; return whether there was one."""
        for at, (addends, cell) in enumerate(self._sums):
            searched = [term for term, is_positive in addends if is_positive and self._is_searched(term)]
            if len(addends) != 2 or len(searched) != 1 or not all(is_positive for _, is_positive in addends):
                continue
            del self._sums[at]
            (axis,) = searched[0].axes
            position = self._last_not_beyond(searched[0], axis, cell)
            self.positions.setdefault(axis, position)
            self.steps.append((searched[0], axis, position))
            self._sums.append((addends, cell))
            return True
        return False

    def _is_searched(self, term: Term) -> bool:
        is_plain = isinstance(term, AxisPosition) or any(isinstance(each, Read | Next) for each in subterms(term))
        return not is_plain and len(term.axes) == 1 and not self._formula.axes[next(iter(term.axes))].extent.axes

    def _last_not_beyond(self, term: Term, axis: int, cell: Expression) -> Expression:
        """Return the position after which a term is beyond an element, if its first value is not, and its end is."""
        found, end = self._logic.unknown_int(), self._constant(self._formula.axes[axis].extent)
        first, last, here, after = (
            self._logic.term(term, self._logic.point({axis: each})) for each in (number(0), end, found, found + 1)
        )
        is_between = all_of(end >= 1, first <= cell, cell < last)
        self._logic.define(implies(is_between, all_of(found >= 0, found < end, here <= cell, cell < after)), found)
        return found

    def _chosen(self) -> bool:
        """Solve one choice whose condition depends on known positions only; return whether there was one."""
        for at, (index, cell) in enumerate(self._choices):
            condition, first, second = index.operands
            if not condition.axes <= self.positions.keys():
                continue
            del self._choices[at]
            here = self._logic.point({axis: self.positions[axis] for axis in condition.axes})
            holds = self._logic.term(condition, here)
            one, other = (inverse(self._formula, [each], [cell], self._logic) for each in (first, second))
            self.divides += [implies(holds, each) for each in one.divides]
            self.divides += [implies(negation(holds), each) for each in other.divides]
            for axis in one.positions.keys() & other.positions.keys():
                self.positions.setdefault(axis, choose(holds, one.positions[axis], other.positions[axis]))
            return True
        return False

    def _turned(self, dividend: Term, divisor: Expression, value: Expression) -> None:
        """Take an index that is turned around for one without: the position is a remainder, too."""
        inner = inverse(self._formula, [dividend], [value], self._logic, self.positions)
        self.divides += inner.divides
        for axis, position in inner.positions.items():
            if axis in self.positions:
                continue
            remainder = position - divisor * self._quotient(position, divisor)
            self.positions.setdefault(axis, remainder)


def _addends(term: Term, is_positive: bool = True) -> Iterator[tuple[Term, bool]]:
    match term:
        case Apply(operation="+" | "-" as sign, operands=(left, right)):
            yield from _addends(left, is_positive)
            yield from _addends(right, is_positive is (sign == "+"))
        case _:
            yield term, is_positive


def _factors(term: Term) -> tuple[Term, tuple[Term, ...]]:
    """Divide a term into an index and factors that are the same everywhere; the term is their product."""
    match term:
        case Apply(operation="*", operands=(left, right)) if not right.axes or not left.axes:
            inner, factor = (left, right) if not right.axes else (right, left)
            multiplied, factors = _factors(inner)
            return multiplied, (*factors, factor)
    return term, ()
