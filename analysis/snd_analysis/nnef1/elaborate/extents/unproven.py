"""Extents that must be equal, where no assertion says whether they are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Edit, Note, Problem, Repair, Span
from snd_analysis.compose import Arguments, Specialization, Template, leaves_of
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.nnef1.elaborate.context import Unproven, notes_of
from snd_analysis.nnef1.elaborate.extents.refused import is_refused
from snd_analysis.nnef1.elaborate.operators import Operators
from snd_analysis.nnef1.limits import (
    GREATEST_FITTED_SIZE,
    GREATEST_LEAST_SIZE,
    LONGEST_UNPROVEN,
    MOST_FITTED_SYMBOLS,
    MOST_UNPROVEN_NOTES,
)
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import (
    TRUE,
    EqualityVerdict,
    Extremum,
    Integer,
    IsZero,
    Junction,
    Leaf,
    Quotient,
    Truth,
    Variable,
)
from snd_analysis.symbolic.values import OperationError, substitute

_WRITABLE = re.compile(r"[\w\s.+*/()-]+")
_RELATION = re.compile("[=<>]=")
_PROVED_BY_TRACT = frozenset(["reshape"])
"""Operations that tract does not load if it can't prove an equation. It looks at others when the graph runs."""


def unproven_equations(
    specialization: Specialization, symbols: Mapping[str, Integer], given: Sequence[TensorValue]
) -> Iterator[Integer]:
    """Yield integers that must be 0 for an operation to be valid, but are 0 for some values of symbols only.

    Sizes of 0 are ignored, and so are sizes that give a ``given`` tensor a negative extent: an earlier operation would
    have failed.
    """
    keys: set[Hashable] = {leaf.key for each in symbols.values() for leaf in each.leaves}
    conditions = [each for each in _conditions(specialization) if {leaf.key for leaf in each.leaves} <= keys]
    if any(next(_equations(each, {}), None) is not None for each in conditions):
        least = _least_sizes(given)
        for each in conditions:
            yield from _equations(each, least)


def _conditions(specialization: Specialization) -> Iterator[Truth]:
    """Yield the checks of an operator, and of the operators that it invokes."""
    pending, seen = [specialization], {id(specialization)}
    while pending:
        current = pending.pop()
        body = () if current.body is None else current.body.checks
        yield from (each.condition for each in (*current.checks, *body))
        pending += [each for each in current.used if id(each) not in seen]
        seen |= {id(each) for each in current.used}


def _least_sizes(given: Sequence[TensorValue]) -> Mapping[Hashable, int]:
    """Return the least sizes of symbols, by their keys, for which no extent of a tensor is negative."""
    least: dict[Hashable, int] = {}
    for tensor in given:
        for extent in (tensor.shape or ()) if isinstance(tensor, Tensor) else ():
            leaves = extent.leaves if isinstance(extent, Integer) else ()
            if len(leaves) == 1 and isinstance(extent, Integer) and _never_falls(extent):
                (leaf,) = leaves
                least[leaf.key] = max(_least_size(extent, leaf), least.get(leaf.key, 0))
    return least


def _never_falls(extent: Integer) -> bool:
    """Return whether an extent is known to be no smaller for a greater size."""
    return all(coefficient > 0 for monomial, coefficient in extent.terms.items() if monomial) and all(
        isinstance(atom, Variable)
        or (isinstance(atom, Quotient) and (atom.parts[1].value or 0) > 0 and _never_falls(atom.parts[0]))
        for atom in extent.atoms()
    )


def _least_size(extent: Integer, leaf: Leaf) -> int:
    def is_negative(size: int) -> bool:
        found = integers.substitute(extent, {leaf.key: integers.constant(size)}).value
        return found is not None and found < 0

    return bisect_left(range(GREATEST_LEAST_SIZE), True, key=lambda size: not is_negative(size))


def _equations(condition: Truth, least: Mapping[Hashable, int]) -> Iterator[Integer]:
    match condition:
        case Junction(conjunction=True, operands=operands):
            for each in operands:
                yield from _equations(each, least)
        case (
            IsZero(positive=True, parts=(equation, _))
            | Junction(operands=(*_, IsZero(positive=True, parts=(equation, _))))
        ) if not _holds_above_zero(condition, least):
            main = _main_equation(condition, equation)
            simple = _without_common_factors(main)
            yield main if simple.value is not None else simple  # a product is 0 where an extent is


def _main_equation(condition: Truth, first: Integer) -> Integer:
    """Return the equation with the most symbols in a condition; ``first`` if there is none."""
    parts = condition.operands if isinstance(condition, Junction) else (condition,)
    found = [each.parts[0] for each in parts if isinstance(each, IsZero) and each.positive]
    return max(found, key=lambda each: (len(each.leaves), str(each)), default=first)


def _without_common_factors(equation: Integer) -> Integer:
    """Return an equation equivalent to another one wherever no symbol is 0: ``S - 7`` for ``B * S - 7 * B``."""
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


def _holds_above_zero(condition: Truth, least: Mapping[Hashable, int]) -> bool:
    """Return whether a condition holds for all sizes above 0, from the least ones on."""
    return integers.substitute(condition, _above_zero(condition, least)) is TRUE


def fails_above_zero(equation: Integer) -> bool:
    """Return whether an integer is 0 for no sizes but 0."""
    found = integers.substitute(equation, _above_zero(equation))
    return integers.decide_equal(found, integers.constant(0)) is EqualityVerdict.DIFFERENT


def _above_zero(value: Truth | Integer, least: Mapping[Hashable, int] = {}) -> Mapping[Hashable, Integer]:
    return {
        leaf.key: integers.variable(("above zero", leaf.key), leaf.name, _lowest(leaf, least), leaf.high)
        for leaf in value.leaves
    }


def _lowest(leaf: Leaf, least: Mapping[Hashable, int]) -> int:
    lowest = max(leaf.low or 0, 1)
    found = least.get(leaf.key, lowest)
    return lowest if leaf.high is not None and found > leaf.high else max(found, lowest)


def fitting_sizes(operators: Operators, template: Template, given: Arguments) -> Mapping[str, int] | None:
    """Return sizes for which an invocation is valid, by the names of symbols; None if no small ones are.

    Extents that are equal for no size may fit where one of them is 1: tract repeats it, and the operators of the
    library repeat known extents.
    """
    found = {leaf for each in (*given.inputs, *given.attributes.values()) for leaf in leaves_of(each)}
    leaves = sorted(found, key=lambda leaf: leaf.name)
    if not leaves or len(leaves) > MOST_FITTED_SYMBOLS or template.name.name in _PROVED_BY_TRACT:
        return None
    ranges = [
        range(max(leaf.low or 0, 1), min(leaf.high or GREATEST_FITTED_SIZE, GREATEST_FITTED_SIZE) + 1)
        for leaf in leaves
    ]

    def fit(sizes: Sequence[int]) -> bool:
        known = {leaf.key: integers.constant(size) for leaf, size in zip(leaves, sizes, strict=True)}
        try:
            inputs = tuple(_sized(each, known) for each in given.inputs)
            attributes = {name: substitute(each, known) for name, each in given.attributes.items()}
        except (OperationError, *integers.FAILURES):
            return False
        return not fails(operators.specialization(template, Arguments(given.dtypes, attributes, inputs)))

    sizes = next(filter(fit, product(*ranges)), None)
    if sizes is None:
        return None
    matters = [not all(fit((*sizes[:at], each, *sizes[at + 1 :])) for each in ranges[at]) for at in range(len(leaves))]
    told = matters if any(matters) else [True] * len(leaves)
    return {leaf.name: size for leaf, size, is_told in zip(leaves, sizes, told, strict=True) if is_told}


def _sized(value: TensorValue, sizes: Mapping[Hashable, Integer]) -> TensorValue:
    if not isinstance(value, Tensor) or value.shape is None:
        return value
    shape = (each for each in value.shape if isinstance(each, Integer))
    return replace(value, shape=tuple(integers.substitute(each, sizes) for each in shape))


def fails(specialization: Specialization) -> bool:
    """Return whether an operator fails for its arguments, or an operator that it invokes does."""
    return bool(specialization.failures) or any(map(fails, specialization.used))


def problem_of(found: Unproven, others: list[Unproven], header_end: int) -> Problem:
    """Return the problem of an equation that no assertion states, with the other places that need it.

    The repair inserts the assertion at the end of the header of the file.
    """
    left, right = _sides(found.equation)
    notes = (
        *notes_of(found.chain),
        *(Note(each.span, f"'{each.operation}' needs the same") for each in others[:MOST_UNPROVEN_NOTES]),
    )
    names = ", ".join(f"'{leaf.name}'" for leaf in sorted(found.equation.leaves, key=lambda leaf: leaf.name))
    if found.example:
        message = f"the shapes of '{found.operation}' fit only for few sizes, such as {found.example}"
        return Problem(rules.UNPROVEN_SHAPE, found.span, message, notes)
    if fails_above_zero(found.equation):
        message = f"the shapes of '{found.operation}' differ for all sizes: they fit only for {left} == {right}"
        return Problem(rules.ASSERTION_FAILS, found.span, message, notes)
    is_loaded = found.operation not in _PROVED_BY_TRACT or not is_refused(found.equation)
    subject = f"{'' if is_loaded else 'tract does not load this: '}the shapes of '{found.operation}'"
    rule = rules.UNPROVEN_SHAPE if is_loaded else rules.ASSERTION_FAILS
    if len(left) + len(right) > LONGEST_UNPROVEN:
        message = f"{subject} fit only for some values of {names}, and no assertion restricts them"
        return Problem(rule, found.span, message, notes)
    fact = _inequality(found.equation) or f"{left} == {right}"
    if right.isdigit() and "==" in fact:
        why = f"write an extent that depends on {names} instead of a number"
        baked = rules.BAKED_EXTENT if is_loaded else rules.ASSERTION_FAILS
        return Problem(baked, found.span, f"{subject} fit only for {fact}: {why}", notes)
    message = f"{subject} fit only if {fact}, and no assertion says so"
    if not _WRITABLE.fullmatch(_RELATION.sub("", fact, count=1)):
        return Problem(rule, found.span, message, notes)
    line = f"extension tract_assert {fact};"
    repair = Repair(f"Add '{line}'", (Edit(Span(header_end, header_end), f"\n{line}"),), safe=False)
    return Problem(rule, found.span, message, notes, repair)


def _inequality(equation: Integer) -> str | None:
    """Return the inequality equivalent to an equation with an extremum: ``S <= 16`` for ``min(S, 16) == S``."""
    for atom in equation.atoms():
        if not isinstance(atom, Extremum) or len(atom.candidates) != 2:
            continue
        extremum = Integer({((atom, 1),): 1})
        for one in atom.candidates:
            if equation in (extremum - one, one - extremum):
                (other,) = atom.candidates - {one}
                less, greater = (other, one) if atom.largest else (one, other)
                return f"{less} <= {greater}" if less.value is None else f"{greater} >= {less}"
    return None


def _sides(equation: Integer) -> tuple[str, str]:
    """Return two texts without differences that are equal where an integer is 0."""
    parts = [
        Integer({monomial: sign * number for monomial, number in equation.terms.items() if sign * number > 0})
        for sign in (1, -1)
    ]
    parts.sort(key=lambda each: (each.value is not None, len(each.terms), str(each)))
    left, right = parts
    if left.variable in right.leaves:  # tract does not terminate if a symbol alone equals an expression with it
        left, right = right, left
    return str(left), str(right)
