"""Sizes to judge assertions by: a fixed choice of small and of some larger ones, in all cases of an operator."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct

from snd_analysis.compose import Session, Template, declare_root
from snd_analysis.proofs.case_analysis.cases import Case, cases_of
from snd_analysis.proofs.counterexample import with_numbers, with_reals
from snd_analysis.proofs.goal import Gap
from snd_analysis.proofs.limits import MOST_TRIED_CASES, MOST_TRIED_SIZES
from snd_analysis.proofs.logic import canonical
from snd_analysis.proofs.mending.outcomes import Outcome, outcome_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Leaf, Truth
from snd_analysis.symbolic.values import Pack, Value

_GREATEST = (1, 2, 3, 3, 4, 5, 6, 9, 14)
"""The greatest numbers of one choice of sizes, in turn."""


def trials_of(
    general: Session, composing: Session, template: Template, seconds_left: Callable[[], float]
) -> list[Outcome]:
    """Return the outcomes of the sizes that are allowed, as many as there is time for."""
    half = seconds_left() / 2
    found = cases_of(general, template, lambda: seconds_left() - half) or ()
    cases = [each[0] for each in islice(found, MOST_TRIED_CASES) if not isinstance(each, Gap)]
    trials: list[Outcome] = []
    for at, (case, numbers) in enumerate(_chosen([*map(partial(_open, composing, template), cases)], template)):
        if seconds_left() <= 0 or at >= MOST_TRIED_SIZES:
            break
        outcome = None if case.refuses(numbers) else outcome_of(composing, template, case.with_numbers(numbers))
        if outcome is not None:
            trials.append(outcome)
    return trials


class _Open(Struct, frozen=True, eq=False):
    """A case with its unknowns, and the conditions on them that assertions demand."""

    case: Case
    unknowns: Mapping[Hashable, Leaf]
    conditions: Sequence[Truth]

    def refuses(self, numbers: Mapping[Hashable, int]) -> bool:
        """Return whether an assertion certainly refuses numbers: to declare the case with them takes longer."""
        return any(_is_false(each, numbers) for each in self.conditions)

    def with_numbers(self, numbers: Mapping[Hashable, int]) -> Case:
        return with_reals(with_numbers(self.case, numbers), {})


def _open(session: Session, template: Template, case: Case) -> _Open:
    declared = declare_root(session, template, case.attributes, case.dtypes, case.inputs)
    return _Open(case, _leaves(case), tuple(each.condition for each in declared.checks))


def _is_false(condition: Truth, numbers: Mapping[Hashable, int]) -> bool:
    try:
        return not shapes.evaluate(condition, {leaf.key: numbers[canonical(leaf.key)] for leaf in condition.leaves})
    except (KeyError, ArithmeticError):
        return False


def _chosen(cases: Sequence[_Open], template: Template) -> Iterator[tuple[_Open, Mapping[Hashable, int]]]:
    """Yield cases with numbers for their unknowns, the same ones once, until no others are found."""
    below = _choices()
    literals = sorted(numbers_in(template.definition))
    chosen: set[tuple[int, tuple[int, ...]]] = set()
    turn = missed = 0
    while cases and missed < MOST_TRIED_SIZES:
        for at, case in enumerate(cases):
            turn += 1
            most = _GREATEST[turn % len(_GREATEST)]
            numbers = {key: _number(leaf, most, literals, below) for key, leaf in case.unknowns.items()}
            key = at, tuple(numbers.values())
            missed = missed + 1 if key in chosen else 0
            if not missed:
                chosen.add(key)
                yield case, numbers


def _number(leaf: Leaf, most: int, literals: Sequence[int], below: Callable[[int], int]) -> int:
    low = -2 if leaf.low is None else leaf.low
    if literals and below(7) == 0:
        return max(low, literals[below(len(literals))] + below(3) - 1)
    return low + below(max(most - low, 0) + 1)


def _choices() -> Callable[[int], int]:
    """Return a function that chooses numbers below a bound, evenly and the same ones in each process."""
    state = 1

    def below(bound: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % bound

    return below


def numbers_in(definition: nodes.Definition) -> frozenset[int]:
    """Return the small ints that a definition names."""
    literals = (each for each in nodes.descendants(definition) if isinstance(each, nodes.Literal))
    return frozenset(each.value for each in literals if type(each.value) is int and 0 < each.value <= 16)


def _leaves(case: Case) -> dict[Hashable, Leaf]:
    """Return the unknowns of a case."""
    found: dict[Hashable, Leaf] = {}
    extents = [each for rows in case.inputs.values() for row in rows or () for each in row]
    for value in (*case.attributes.values(), *extents):
        for integer in _integers(value):
            for leaf in sorted(integer.leaves, key=lambda each: each.name):
                found.setdefault(canonical(leaf.key), leaf)
    return found


def _integers(value: Value) -> Iterator[Integer]:
    match value:
        case Integer():
            yield value
        case Pack():
            yield from (each for each in value.elements if isinstance(each, Integer))
