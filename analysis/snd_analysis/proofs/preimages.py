"""Points that may write an element: one for each way through the selections of the indices.

``y[i < h ? h - 1 - i : i,]`` writes the element ``c`` at ``h - 1 - c`` or at ``c``. Equations in the condition after
``|`` and in the conditions of selections tell positions, too: the remainder is 0 in ``y[i / k,] = x[i,], i < n | i % k
== 0``. As in ``inverse``, nothing relies on these points: coverage proves what they write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct

from snd_analysis.compose.formulas import Apply, Constant, Formula, Next, Read, Term, subterms
from snd_analysis.proofs.goal import Expression, Point, all_of, choose, equal, negation
from snd_analysis.proofs.inverse import Step, inverse
from snd_analysis.proofs.limits import MOST_WAYS
from snd_analysis.proofs.logic import Logic

_Taken = tuple[tuple[Term, bool], ...]
"""The conditions of selections, with the values that they have."""


class Preimage(Struct, frozen=True, eq=False):
    """A point that may write an element, as far as its positions are known."""

    positions: Mapping[int, Expression]
    divides: Sequence[Expression]
    """Conditions that the divisors in the positions are not zero."""
    steps: Sequence[Step] = ()
    taken: _Taken = ()


def preimages(
    formula: Formula, indices: Sequence[Term], cells: Sequence[Expression], logic: Logic
) -> Sequence[Preimage]:
    """Return points that may write an element with the coordinates ``cells``; at least one."""
    whole = _preimage(formula, indices, cells, (), logic)
    if len(whole.positions) == len(formula.axes):
        return [whole]
    found = [_preimage(formula, chosen, cells, taken, logic) for chosen, taken in _ways(indices, MOST_WAYS)]
    known = [each for each in found if len(each.positions) == len(formula.axes)]
    return known if 1 < len(known) == len(found) else [whole]


def regained(
    formula: Formula, indices: Sequence[Term], cells: Sequence[Expression], found: Sequence[Preimage], logic: Logic
) -> tuple[Mapping[int, Expression], Sequence[Expression]] | None:
    """Return one point as a function of an element, and the conditions that no divisor in this function is zero.

    It is the first point that writes the element. None if elements of tensors decide, or positions are not known.
    """
    last = found[-1]
    if any(len(each.positions) < len(formula.axes) for each in found):
        return None
    positions, divides = dict(last.positions), [*last.divides]
    for each in reversed(found[:-1]):
        terms = [*indices, *(axis.extent for axis in formula.axes), *(condition for condition, _ in each.taken)]
        if each.steps or last.steps or any(isinstance(term, Read | Next) for term in subterms(*terms)):
            return None
        point = logic.point(each.positions)
        holds = all_of(*_writing(formula, indices, cells, each, logic))
        divides += [*each.divides, *(divisor for term in terms for divisor in nonzero_divisors_in(term, point, logic))]
        positions = {axis: choose(holds, position, positions[axis]) for axis, position in each.positions.items()}
    return positions, divides


def _writing(
    formula: Formula, indices: Sequence[Term], cells: Sequence[Expression], found: Preimage, logic: Logic
) -> Iterator[Expression]:
    """Yield that a point is in the index space, takes the branches it was calculated for, and writes the element."""
    point = logic.point(found.positions)
    for axis, position in found.positions.items():
        yield position >= 0
        yield position < logic.term(formula.axes[axis].extent, point)
    for condition, holds in found.taken:
        value = logic.term(condition, point)
        yield value if holds else negation(value)
    for index, cell in zip(indices, cells, strict=True):
        yield logic.same(logic.term(index, point), cell)


def nonzero_divisors_in(term: Term, point: Point, logic: Logic) -> Iterator[Expression]:
    """Yield that the divisors of ints in a term are not zero."""
    for each in subterms(term):
        match each:
            case Apply(operation="/" | "\\" | "%", dtype="int", operands=(_, divisor)):
                yield negation(equal(logic.term(divisor, point), 0))


# ---- ways through selections -----------------------------------------------------------------------------------------
def _ways(indices: Sequence[Term], most: int) -> Iterator[tuple[Sequence[Term], _Taken]]:
    """Yield the indices without selections, for each choice of their branches, and the conditions of the choice."""
    select = next((each for index in indices for each in _selections(index)), None)
    if select is None or most <= 1:
        yield indices, ()
        return
    condition, *branches = select.operands
    for branch, holds in zip(branches, (True, False), strict=True):
        chosen = [_replaced(index, select, branch) for index in indices]
        for others, taken in _ways(chosen, most // 2):
            yield others, ((condition, holds), *taken)


def _selections(term: Term) -> Iterator[Apply]:
    """Yield the selections in a term between indices; none in indices of elements."""
    if isinstance(term, Apply):
        if term.operation == "select" and term.operands[0].axes:
            yield term
        for each in term.operands:
            yield from _selections(each)


def _replaced(term: Term, old: Apply, new: Term) -> Term:
    if term is old:
        return new
    if not isinstance(term, Apply):
        return term
    operands = tuple(_replaced(each, old, new) for each in term.operands)
    if all(one is other for one, other in zip(operands, term.operands, strict=True)):
        return term
    return Apply(term.operation, operands, term.dtype, term.axes, term.node)


# ---- equations -------------------------------------------------------------------------------------------------------
def _preimage(
    formula: Formula, indices: Sequence[Term], cells: Sequence[Expression], taken: _Taken, logic: Logic
) -> Preimage:
    """Return the point for indices; equations of conditions are used where the indices do not tell all positions."""
    found = inverse(formula, indices, cells, logic)
    if len(found.positions) < len(formula.axes):
        conditions = taken if formula.condition is None else ((formula.condition, True), *taken)
        known = logic.point(found.positions)
        equations = [
            each
            for condition, holds in conditions
            for each in _equations(condition, holds, found.positions.keys(), known, logic)
        ]
        terms, values = [term for term, _ in equations], [value for _, value in equations]
        found = inverse(formula, [*indices, *terms], [*cells, *values], logic)
    return Preimage(found.positions, found.divides, found.steps, taken)


def _equations(
    condition: Term, holds: bool, known: Set[int], point: Point, logic: Logic
) -> Iterator[tuple[Term, Expression]]:
    """Yield terms with unknown indices, and the values that they have where a condition holds, or does not hold.

    In ``i >= u * n && i < u * n + n``, ``u * n`` is the last multiple up to ``i``: the value ``i`` tells ``u``.
    """
    match condition:
        case Apply(operation="not", operands=(operand,)):
            yield from _equations(operand, not holds, known, point, logic)
        case Apply(operation="&&" | "||" as junction, operands=operands) if holds is (junction == "&&"):
            for each in operands:
                yield from _equations(each, holds, known, point, logic)
        case Apply(operation="==" | "!=" | ">=" | "<=" as sign, operands=(left, right)):
            term, other = (right, left) if left.axes <= known else (left, right)
            if not other.axes <= known or term.dtype != "int" or term.axes <= known or _may_divide_by_zero(other):
                return
            value = logic.term(other, point)
            if sign in (">=", "<="):
                is_below = (term is left) is (sign == "<=")
                if holds and is_below:
                    yield term, value
            elif holds is (sign == "=="):
                yield term, value
            elif isinstance(term, Apply) and term.operation == "%":
                divisor = term.operands[1]
                if isinstance(divisor, Constant) and divisor.value == 2:
                    yield term, value * -1 + 1


def _may_divide_by_zero(term: Term) -> bool:
    """Return whether a term may have any value, as quotients by zero have: then it is no function of the element."""
    divided = (each for each in subterms(term) if isinstance(each, Apply) and each.operation in ("/", "\\", "%"))
    return not all(isinstance(each.operands[1], Constant) and each.operands[1].value for each in divided)
