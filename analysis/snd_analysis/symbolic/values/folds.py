"""Folds and cumulative folds (2.4, Folding, Cumulative Folding; LANGUAGE, Expressions)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import accumulate, combinations, pairwise
from typing import Final

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import (
    FALSE,
    TRUE,
    AtLeastZero,
    Atom,
    Integer,
    Junction,
    Leaf,
    Monomial,
    Truth,
    Variable,
    of_atom,
)
from snd_analysis.symbolic.limits import DEEPEST, MOST_COMPARED, MOST_ITEMS
from snd_analysis.symbolic.values.formatting import enclosed, result_of, shortened
from snd_analysis.symbolic.values.items import at
from snd_analysis.symbolic.values.operations import OPERATIONS, may_become_known
from snd_analysis.symbolic.values.pack import ONE, POSITION, ZERO, ItemRun, Pack, Segment, positional
from snd_analysis.symbolic.values.rewriting import shifted
from snd_analysis.symbolic.values.scalars import (
    DEFINITIONS,
    NULL,
    UNDEFINED,
    OperationError,
    OperationKey,
    Value,
    maybe,
)
from snd_analysis.symbolic.values.selection import opaque_pack


# ---- sums and products of runs of ints: as far as possible in terms of the length and of single unknowns -------------
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
        message = f"this goes through a pack of {count:,} items one by one, but snd can handle {MOST_ITEMS:,} at most"
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


# ---- folds and cumulative folds (2.4, Folding, Cumulative Folding; LANGUAGE, Expressions) ----------------------------
Fold = Callable[[Pack], Value]


def _reduced(symbol: str, items: Sequence[Value]) -> Value:
    return functools.reduce(OPERATIONS[symbol], items)


def _as_parts(pack: Pack) -> tuple[Segment, ...]:
    """Return the items if their number is known; but long runs of ints or bools stay, being folded at once."""
    items = None if pack.dtype in ("int", "bool") else pack.items
    return pack.segments if items is None else items


# ---- sum and product -------------------------------------------------------------------------------------------------
def _sum(pack: Pack) -> Value:
    return _total("+", pack, ZERO, 0.0, sum_over_run)


def _product(pack: Pack) -> Value:
    return _total("*", pack, ONE, 1.0, product_over_run)


def _total(symbol: str, pack: Pack, empty: Integer, empty_real: float, over_run: Callable[[ItemRun], Integer]) -> Value:
    parts = _as_parts(pack)
    if not parts:
        return empty_real if pack.dtype == "real" else empty
    if any(isinstance(part, ItemRun) for part in parts) and pack.dtype == "real":
        demand_few(pack)
        return result_of("real", f"{symbol} ..", (pack,))
    values: list[Value] = []
    for part in parts:
        if not isinstance(part, ItemRun):
            values.append(part)
        elif isinstance(part.element, Integer):
            values.append(over_run(part))
        else:
            return UNDEFINED
    return _reduced(symbol, values)


# ---- minimum and maximum ---------------------------------------------------------------------------------------------
def _extremum(symbol: str) -> Fold:
    def fold(pack: Pack) -> Value:
        parts = _as_parts(pack)
        if not parts:
            raise OperationError(rules.EMPTY_EXTREMUM, rules.expressions.no_extremum(symbol), 0)
        uniform = pack.uniform
        if uniform is not None:
            return uniform
        runs = [part for part in parts if isinstance(part, ItemRun)]
        items = [part for part in parts if not isinstance(part, ItemRun)]
        if not runs:
            return _extreme_integer(symbol, items) or _reduced(symbol, items)
        if len(runs) == len(parts) == 1 or pack.dtype != "int" or not all(map(_is_never_empty, runs)):
            return _extreme_unknown(symbol, pack)
        return _reduced(symbol, [fold(Pack((part,))) for part in parts])

    return fold


def _extreme_integer(symbol: str, parts: Sequence[Value]) -> Integer | None:
    """Return the extreme of many ints at once, which simplifies only once; None if some are no ints."""
    integers = [part for part in parts if isinstance(part, Integer)]
    if len(integers) != len(parts):
        return None
    numbers = [integer.value for integer in integers]
    known = [number for number in numbers if number is not None]
    if len(known) == len(numbers):
        return shapes.constant((min if symbol == "<?" else max)(known))
    return (shapes.minimum if symbol == "<?" else shapes.maximum)(*integers)


def _is_never_empty(run: ItemRun) -> bool:
    return (shapes.bounds(run.length)[0] or 0) > 0


def _extreme_unknown(symbol: str, pack: Pack) -> Value:
    from snd_analysis.symbolic.values.items import bounds_of

    if pack.dtype not in ("int", "real"):
        return UNDEFINED
    demand_few(pack)
    return result_of(pack.dtype, f"{symbol} ..", (pack,), *bounds_of([pack]))


# ---- logic -----------------------------------------------------------------------------------------------------------
def _junction(symbol: str, combine: Callable[..., Truth], neutral: Truth, deciding: Truth) -> Fold:
    def fold(pack: Pack) -> Value:
        conditions: list[Truth] = []
        for part in _as_parts(pack):
            element = part.element if isinstance(part, ItemRun) else part
            if not isinstance(element, Truth):
                return UNDEFINED
            conditions.append(over_run(part, element) if isinstance(part, ItemRun) else element)
        return combine(*conditions)

    def over_run(run: ItemRun, element: Truth) -> Truth:
        if element is neutral:
            return neutral
        empty = shapes.compare("==", run.length, 0)
        if positional(element):
            if isinstance(element, Junction) and element.conjunction is (neutral is TRUE):
                return combine(*(over_run(run, operand) for operand in element.operands))
            if _is_monotone(element):
                ends = combine(*(_condition_at(element, place) for place in (ZERO, run.length - 1)))
                return shapes.or_(empty, ends) if neutral is TRUE else shapes.and_(shapes.not_(empty), ends)
            demand_few(Pack((run,)))
            whole = result_of("bool", f"{symbol} ..", (Pack((run,)),))
            assert isinstance(whole, Truth)
            return whole
        # For one condition repeated many times, only the existence of an item matters.
        return shapes.or_(empty, element) if neutral is TRUE else shapes.and_(shapes.not_(empty), element)

    return fold


def _is_monotone(element: Truth) -> bool:
    """Return whether a condition that holds at both ends of a run holds between them, and so for its opposite."""
    if not isinstance(element, AtLeastZero):
        return False
    subject = element.parts[0]
    step = shifted(subject, POSITION + 1)
    return isinstance(step, Integer) and not positional(step - subject)


def _condition_at(element: Truth, place: Integer) -> Truth:
    found = shifted(element, place)
    assert isinstance(found, Truth)
    return found


# ---- order and equality ----------------------------------------------------------------------------------------------
def _ordered(symbol: str) -> Fold:
    compare = OPERATIONS[symbol]

    def fold(pack: Pack) -> Value:
        if pack.run is not None and pack.dtype == "int":
            return _neighbours(symbol, compare, pack)
        items = pack.items
        if items is not None:
            return _all_of(compare(a, b) for a, b in pairwise(items))
        return _neighbours(symbol, compare, pack)

    return fold


def _neighbours(symbol: str, compare: Callable[[Value, Value], Value], pack: Pack) -> Value:
    if pack.run is not None:
        element = pack.run.element
        always = compare(element, shifted(element, POSITION + 1))
        if always is TRUE:
            return TRUE
        if always is FALSE:
            return shapes.compare("<=", pack.length, 1)
    return result_of("bool", f"{symbol} ..", (pack,))


def _all_of(conditions: object) -> Value:
    found: list[Truth] = []
    for condition in conditions:  # type: ignore[attr-defined]
        if not isinstance(condition, Truth):
            return UNDEFINED
        if condition is FALSE:
            return FALSE
        if condition is not TRUE:
            found.append(condition)
    return shapes.and_(*found)


def _uniform_test(pack: Pack) -> Value:
    uniform = pack.uniform
    if uniform is not None and not isinstance(uniform, float):
        return TRUE
    items = pack.items
    if items is not None:
        return _all_of(OPERATIONS["=="](items[0], item) for item in items)
    return result_of("bool", "== ..", (pack,))


def _distinct(pack: Pack) -> Value:
    items = pack.items
    if items is None:
        return _distinct_run(pack)
    numbers = _known_keys(items)
    if numbers is not None:
        return shapes.truth(len(set(numbers)) == len(numbers))
    return _all_of(OPERATIONS["!="](a, b) for a, b in combinations(items, 2))


def _known_keys(items: Sequence[Value]) -> list[int | str] | None:
    keys: list[int | str] = []
    for item in items:
        key = item.value if isinstance(item, Integer) else item if isinstance(item, str) else None
        if key is None:
            return None
        keys.append(key)
    return keys


def _distinct_run(pack: Pack) -> Value:
    if any(OPERATIONS["=="](a, b) is TRUE for a, b in combinations(_certain_items(pack), 2)):
        return FALSE
    if pack.uniform is not None and not isinstance(pack.uniform, float):
        return shapes.compare("<=", pack.length, 1)
    if pack.dtype == "int" and (_ordered("<")(pack) is TRUE or _ordered(">")(pack) is TRUE):
        return TRUE
    return result_of("bool", "!= ..", (pack,))


def _certain_items(pack: Pack) -> list[Value]:
    """Return the items that exist in all cases: single ones, and the first and last of runs that are never empty."""
    found: list[Value] = []
    for segment in pack.segments:
        if not isinstance(segment, ItemRun):
            found.append(segment)
        elif _is_never_empty(segment):
            found.append(shifted(segment.element, ZERO))
            if shapes.compare(">=", segment.length, 2) is TRUE:
                found.append(shifted(segment.element, segment.length - 1))
    return found if len(found) <= MOST_COMPARED else []


FOLDS: Final[dict[str, Fold]] = {
    "+": _sum,
    "*": _product,
    "<?": _extremum("<?"),
    ">?": _extremum(">?"),
    "&&": _junction("&&", shapes.and_, TRUE, FALSE),
    "||": _junction("||", shapes.or_, FALSE, TRUE),
    "<": _ordered("<"),
    "<=": _ordered("<="),
    ">": _ordered(">"),
    ">=": _ordered(">="),
    "==": _uniform_test,
    "!=": _distinct,
}
"""The folds ``x @ ..`` but ``:=``, by operator."""

DEFINITIONS.update({f"{symbol} ..": fold for symbol, fold in FOLDS.items()})


# ---- := --------------------------------------------------------------------------------------------------------------
def uniform_now(pack: Pack) -> Value:
    """Return ``x := ..`` while a graph is composed: null unless all items are known to be the same at compile time."""
    if may_become_known(pack):
        return uniform_later(pack)
    uniform = pack.uniform
    return NULL if uniform is None else uniform


def uniform_later(pack: Pack) -> Value:
    """Return ``x := ..`` where unknown values may still become known at compile time."""
    uniform = pack.uniform
    if uniform is not None:
        return uniform
    if pack.length.value == 0:
        return NULL
    same = FOLDS["=="](pack)
    if same is FALSE or not isinstance(same, Truth):
        return NULL
    return maybe(shapes.and_(shapes.compare(">=", pack.length, 1), same), at(pack, ZERO))


# ---- cumulative ------------------------------------------------------------------------------------------------------
def cumulative(symbol: str, pack: Pack) -> Value:
    """Return ``x @ ...``: all intermediate results of ``x @ ..``; empty for an empty pack."""
    items = pack.items
    if items is not None:
        values = list(accumulate(items, OPERATIONS[symbol]))
        if any(value is UNDEFINED for value in values):
            return UNDEFINED
        return Pack(values, dtype=pack.dtype)
    dtype = pack.dtype
    if dtype is None:
        return UNDEFINED
    written: list[Value] = []
    for segment in pack.segments:
        if isinstance(segment, ItemRun):
            break
        written.append(segment)
    values = list(accumulate(written, OPERATIONS[symbol]))
    whole = opaque_pack(OperationKey(dtype, f"{symbol} ...", (pack,)), pack.length, *_cumulative_bounds(symbol, pack))
    if not isinstance(whole, Pack) or whole.run is None:
        return UNDEFINED
    rest = shifted(whole.run.element, POSITION + len(values))
    return Pack((*values, ItemRun(pack.length - len(values), rest)))


def _cumulative_bounds(symbol: str, pack: Pack) -> tuple[int | None, int | None]:
    from snd_analysis.symbolic.values.items import bounds_of

    low, high = bounds_of([pack])
    if symbol in ("<?", ">?"):
        return low, high
    if symbol == "*" and low is not None and low >= 0:
        return min(low, 1), None
    return (0 if low is not None and low >= 0 else None), None


CUMULATIVE: Final = frozenset({"+", "*", "&&", "||", "<?", ">?"})
"""The operators of cumulative folds."""

DEFINITIONS.update({f"{symbol} ...": functools.partial(cumulative, symbol) for symbol in CUMULATIVE})
