"""Sums and products of runs of ints: as far as possible in terms of the length and of single unknowns."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Atom, Integer, Leaf, Monomial, Variable, of_atom
from snd_analysis.symbolic.limits import DEEPEST, MOST_ITEMS
from snd_analysis.symbolic.values.errors import OperationError
from snd_analysis.symbolic.values.formatting import enclosed, shortened
from snd_analysis.symbolic.values.pack import ONE, POSITION, ZERO, ItemRun, Pack, positional
from snd_analysis.symbolic.values.scalars import OperationKey, Value


def sum_over_run(run: ItemRun) -> Integer:
    """Return ``x + ..`` of a run of ints: the sum of a polynomial is the polynomial of the sums of its monomials."""
    element = run.element
    assert isinstance(element, Integer)
    total = ZERO
    for monomial, coefficient in element.terms.items():
        fixed, moving = _divided(monomial)
        total = total + (fixed * _sum_of(ItemRun(run.length, moving), moving)).scaled(coefficient)
    return total


def _sum_of(run: ItemRun, element: Integer) -> Integer:
    if element == ONE:
        return run.length
    if element == POSITION:
        return shapes.floor_divide(run.length * (run.length - 1), 2)
    low, _ = shapes.bounds(element)
    return _unknown_fold("+", run, element, 0 if low is not None and low >= 0 else None)


def product_over_run(run: ItemRun) -> Integer:
    """Return ``x * ..`` of a run of ints: the product of a monomial is the product of the products of its factors."""
    element = run.element
    assert isinstance(element, Integer)
    if len(element.terms) != 1:
        return _product_of(run, element)
    ((monomial, coefficient),) = element.terms.items()
    fixed, moving = _divided(monomial)
    total = shapes.power(fixed.scaled(coefficient), run.length)
    for atom, exponent in next(iter(moving.terms), ()):
        total = total * shapes.power(_product_of(run, _of(((atom, 1),))), exponent)
    return total


def _product_of(run: ItemRun, element: Integer) -> Integer:
    if not positional(element):
        return shapes.power(element, run.length)
    low, _ = shapes.bounds(element)
    return _unknown_fold("*", ItemRun(run.length, element), element, None if low is None or low < 0 else min(low, 1))


def demand_few(pack: Pack) -> None:
    """Raise Failure for a pack of known length that would have to be written out, but is too long for that."""
    count = pack.length.value
    if count is not None and count > MOST_ITEMS:
        message = f"this goes through a pack of {count:,} items one by one, but snd works with {MOST_ITEMS:,} at most"
        raise OperationError(rules.VALUE_TOO_LARGE, message)


def _unknown_fold(symbol: str, run: ItemRun, element: Integer, low: int | None) -> Integer:
    demand_few(Pack((run,)))
    key = OperationKey("int", f"{symbol} ..", (Pack((run,)),))
    if key.depth > DEEPEST:
        return shapes.opaque("…", low)
    return of_atom(Variable(Leaf(key, f"{enclosed(shortened(element))} {symbol} ..", low, None, fold=True)))


def _divided(monomial: Monomial) -> tuple[Integer, Integer]:
    """Return the factors that are the same for all items, and the others."""
    fixed = tuple(pair for pair in monomial if not _moves(pair[0]))
    moving = tuple(pair for pair in monomial if _moves(pair[0]))
    return _of(fixed), _of(moving)


def _moves(atom: Atom) -> bool:
    value: Value = _of(((atom, 1),))
    return positional(value)


def _of(monomial: Monomial) -> Integer:
    return Integer({monomial: 1})
