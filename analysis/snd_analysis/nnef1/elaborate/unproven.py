"""Extents that must be equal, where no assertion says whether they are."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Problem, Repair, Span
from snd_analysis.compose import Specialization
from snd_analysis.nnef1.elaborate.context import Unproven, notes_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import TRUE, Integer, IsZero, Junction, Truth, Verdict

_WRITABLE = re.compile(r"[\w\s.+*/()-]+")
_LONGEST = 60
_MOST_NOTES = 4


def unproven_equations(specialization: Specialization, symbols: Mapping[str, Integer]) -> Iterator[Integer]:
    """Yield what must be 0 for an operation to be valid, and is so for some values of symbols only.

    Sizes of 0 count for nothing.
    """
    keys: set[Hashable] = {leaf.key for each in symbols.values() for leaf in each.leaves}
    pending, seen = [specialization], {id(specialization)}
    while pending:
        current = pending.pop()
        body = () if current.body is None else current.body.checks
        for check in (*current.checks, *body):
            if {leaf.key for leaf in check.condition.leaves} <= keys:
                yield from _equations(check.condition)
        pending += [each for each in current.used if id(each) not in seen]
        seen |= {id(each) for each in current.used}


def _equations(condition: Truth) -> Iterator[Integer]:
    match condition:
        case Junction(conjunction=True, operands=operands):
            for each in operands:
                yield from _equations(each)
        case (
            IsZero(positive=True, parts=(equation, _))
            | Junction(operands=(*_, IsZero(positive=True, parts=(equation, _))))
        ) if not _holds_above_zero(condition):
            main = _main_equation(condition, equation)
            simple = _without_common_factors(main)
            yield main if simple.value is not None else simple  # a product is 0 where an extent is


def _main_equation(condition: Truth, first: Integer) -> Integer:
    """Return the equation of a condition; that of all symbols if others say that extents are 1."""
    parts = condition.operands if isinstance(condition, Junction) else (condition,)
    found = [each.parts[0] for each in parts if isinstance(each, IsZero) and each.positive]
    return max(found, key=lambda each: (len(each.leaves), str(each)), default=first)


def _without_common_factors(equation: Integer) -> Integer:
    """Return an equation that is 0 where another one is, wherever no symbol is 0: ``S - 7`` for ``B * S - 7 * B``."""
    common = dict(next(iter(equation.terms)))
    for monomial in equation.terms:
        exponents = dict(monomial)
        common = {atom: min(number, exponents.get(atom, 0)) for atom, number in common.items()}
    if not any(common.values()):
        return equation
    lowered = {
        tuple((atom, rest) for atom, number in monomial if (rest := number - common.get(atom, 0))): coefficient
        for monomial, coefficient in equation.terms.items()
    }
    return Integer(lowered)


def _holds_above_zero(condition: Truth) -> bool:
    """Return whether a condition holds for all sizes but 0."""
    return integers.substitute(condition, _above_zero(condition)) is TRUE


def _fails_above_zero(equation: Integer) -> bool:
    """Return whether an integer is 0 for no sizes but 0."""
    found = integers.substitute(equation, _above_zero(equation))
    return integers.decide_equal(found, integers.constant(0)) is Verdict.DIFFERENT


def _above_zero(value: Truth | Integer) -> Mapping[Hashable, Integer]:
    return {
        leaf.key: integers.variable(("above zero", leaf.key), leaf.name, max(leaf.low or 0, 1), leaf.high)
        for leaf in value.leaves
    }


def problem_of(found: Unproven, others: list[Unproven], header_end: int) -> Problem:
    """Return what is said of an equation that nothing says, with the other places that need it.

    The repair inserts the assertion where the header of the file ends.
    """
    left, right = _sides(found.equation)
    notes = (
        *notes_of(found.chain),
        *(Note(each.span, f"'{each.operation}' needs the same") for each in others[:_MOST_NOTES]),
    )
    names = ", ".join(f"'{leaf.name}'" for leaf in sorted(found.equation.leaves, key=lambda leaf: leaf.name))
    if _fails_above_zero(found.equation):
        message = f"the shapes of '{found.operation}' differ for all sizes: they fit only for {left} == {right}"
        return Problem(rules.ASSERTION_FAILS, found.span, message, notes)
    if len(left) + len(right) > _LONGEST:
        message = (
            f"the shapes of '{found.operation}' fit for some values of {names} only, and no assertion says for which"
        )
        return Problem(rules.UNPROVEN_SHAPE, found.span, message, notes)
    fact = f"{left} == {right}"
    if right.isdigit():
        why = f"a number stands where the extent depends on {names}"
        message = f"the shapes of '{found.operation}' fit for {fact} only: {why}"
        return Problem(rules.BAKED_EXTENT, found.span, message, notes)
    message = f"the shapes of '{found.operation}' fit only if {fact}, and no assertion says so"
    if not _WRITABLE.fullmatch(fact.replace("==", "")):
        return Problem(rules.UNPROVEN_SHAPE, found.span, message, notes)
    line = f"extension tract_assert {fact};"
    repair = Repair(f"Add '{line}'", (Edit(Span(header_end, header_end), f"\n{line}"),), safe=False)
    return Problem(rules.UNPROVEN_SHAPE, found.span, message, notes, repair)


def _sides(equation: Integer) -> tuple[str, str]:
    """Return two texts without differences that are equal where an integer is 0."""
    parts = [
        Integer({monomial: sign * number for monomial, number in equation.terms.items() if sign * number > 0})
        for sign in (1, -1)
    ]
    parts.sort(key=lambda each: (each.value is not None, len(each.terms), str(each)))
    return str(parts[0]), str(parts[1])
