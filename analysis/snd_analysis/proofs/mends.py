"""Conditions on sizes that may keep an index of a formula in bounds."""

from __future__ import annotations

from snd_analysis.compose.formulas import Apply, AxisPosition, Constant, Formula, OpenValue, Term
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth


def bounding_conditions(formula: Formula, index: Term, extent: Integer) -> tuple[Truth, ...]:
    """Return the conditions that the greatest and the least value of an index are in bounds."""
    least, greatest = _extreme(formula, index, False), _extreme(formula, index, True)
    found = (
        None if greatest is None else shapes.compare("<", greatest, extent),
        None if least is None else shapes.compare(">=", least, 0),
    )
    return tuple(each for each in found if each is not None and each not in (TRUE, FALSE))


def length_of(formula: Formula, axis: int) -> Integer | None:
    """Return the bound of an index as an integer; None if it is read from a tensor."""
    extent = formula.axes[axis].extent
    match extent:
        case Constant(value=int(value)):
            return shapes.constant(value)
        case OpenValue(value=Integer() as value):
            return value
    return None


def _extreme(formula: Formula, term: Term, greatest: bool) -> Integer | None:
    """Return the greatest or the least value of an index as an integer without positions; None for other forms."""
    match term:
        case Constant(value=int(value)):
            return shapes.constant(value)
        case OpenValue(value=Integer() as value):
            return value
        case AxisPosition(axis=axis):
            length = length_of(formula, axis)
            return shapes.constant(0) if not greatest else None if length is None else length - 1
        case Apply(operation="+" | "-" as operation, operands=(left, right)):
            first = _extreme(formula, left, greatest)
            second = _extreme(formula, right, greatest is (operation == "+"))
            if first is None or second is None:
                return None
            return first + second if operation == "+" else first - second
        case Apply(operation="*", operands=(left, right)):
            factor, other = (left, right) if not left.axes else (right, left)
            number = _extreme(formula, factor, True) if not factor.axes else None
            low = None if number is None else shapes.bounds(number)[0]
            if number is None or low is None or low < 0:
                return None
            most = _extreme(formula, other, greatest)
            return None if most is None else number * most
    return None
