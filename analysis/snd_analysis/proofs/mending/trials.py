"""Sizes to judge assertions by: a fixed choice of small and of some larger ones, in all cases of an operator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product

from msgspec import Struct

from snd_analysis.compose import Session, Template, canonical, declare_root
from snd_analysis.proofs.case_analysis.cases import ParameterCase, cases_of
from snd_analysis.proofs.counterexample import with_numbers, with_reals
from snd_analysis.proofs.goal import Gap
from snd_analysis.proofs.limits import MOST_CHOSEN_SIZES, MOST_LENGTHENED, MOST_NEIGHBOURS, MOST_TRIED_CASES
from snd_analysis.proofs.mending.outcomes import Outcome, outcome_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Leaf, Truth
from snd_analysis.symbolic.values import Pack, Value

_GREATEST = (1, 2, 3, 3, 4, 5, 6, 9, 14, 24)
"""The greatest numbers of one choice of sizes, in turn."""


_NEGATIVE = 7
"""The absolute value of the least number of an attribute."""
_SIGNED = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, -1, -2, -3, -4, -5, -6, -7)
"""Numbers that replace one of sizes that work."""


class Trials:
    """An operator tried with many sizes, different ones each time."""

    def __init__(
        self, general: Session, composing: Session, template: Template, seconds_left: Callable[[], float]
    ) -> None:
        """Half of the time may be spent on telling cases apart."""
        self._session = composing
        self._template = template
        half = seconds_left() / 2
        found = cases_of(general, template, lambda: seconds_left() - half) or ()
        cases = [each[0] for each in islice(found, MOST_TRIED_CASES) if not isinstance(each, Gap)]
        longer = (_open(composing, template, each) for each in _longer_cases(cases, template))
        opened = [*map(partial(_open, composing, template), cases), *(each for each in longer if each.is_allowed)]
        self._opened, self._short = opened, len(cases)
        self._choose_below = _choices()
        self._chosen = _chosen(opened, template, self._choose_below)
        self._working: list[tuple[_Open, Mapping[Hashable, int]]] = []
        """The sizes tried so far that break nothing."""
        self._seen: set[tuple[_Open, tuple[int, ...]]] = set()

    def outcomes(
        self, seconds_left: Callable[[], float], is_wanted: Callable[[Mapping[str, int]], bool] = lambda names: True
    ) -> Iterator[Outcome]:
        """Yield the outcomes of allowed sizes that are wanted by the values of their names, while there is time."""
        for case, numbers in islice(self._chosen, MOST_CHOSEN_SIZES):
            if seconds_left() <= 0:
                return
            outcome = self._outcome(case, numbers, is_wanted)
            if outcome is not None:
                if not outcome.broken:
                    self._working.append((case, numbers))
                yield outcome

    def neighbours(
        self, seconds_left: Callable[[], float], is_wanted: Callable[[Mapping[str, int]], bool]
    ) -> Iterator[Outcome]:
        """Yield the outcomes of sizes that differ in one or two numbers, or in lengths, from those that break nothing.

        The border of an assertion that refuses too much is near sizes that work.
        """
        below = self._choose_below
        for _ in range(MOST_NEIGHBOURS if self._working else 0):
            if seconds_left() <= 0:
                return
            case, numbers = self._working[below(len(self._working))]
            is_other = below(3) == 0
            if is_other:
                case, numbers = self._with_other_lengths(case, numbers)
            keys = [*case.unknowns]
            changed = dict(numbers)
            for _ in range((0 if is_other else 1) + below(2) if keys else 0):
                key = keys[below(len(keys))]
                number, low = _SIGNED[below(len(_SIGNED))], case.unknowns[key].low
                changed[key] = number if low is None else max(low, number)
            outcome = self._outcome(case, changed, is_wanted)
            if outcome is not None:
                yield outcome

    def _with_other_lengths(self, case: _Open, numbers: Mapping[Hashable, int]) -> tuple[_Open, Mapping[Hashable, int]]:
        """Return another case, with the numbers that both have by name."""
        known, below = case.names(numbers), self._choose_below
        other = self._opened[below(self._short if below(2) else len(self._opened))]
        return other, {
            key: known[leaf.name] if leaf.name in known else max(leaf.low or 0, _SIGNED[below(len(_SIGNED))])
            for key, leaf in other.unknowns.items()
        }

    def _outcome(
        self, case: _Open, numbers: Mapping[Hashable, int], is_wanted: Callable[[Mapping[str, int]], bool]
    ) -> Outcome | None:
        """Return the outcome of sizes that are allowed, wanted and not tried before."""
        key = case, tuple(numbers.values())
        if key in self._seen or case.refuses(numbers) or not is_wanted(case.names(numbers)):
            return None
        self._seen.add(key)
        return outcome_of(self._session, self._template, case.with_numbers(numbers))


class _Open(Struct, frozen=True, eq=False):
    """A case with its unknowns, and the conditions on them that assertions demand."""

    case: ParameterCase
    unknowns: Mapping[Hashable, Leaf]
    conditions: Sequence[Truth]
    is_allowed: bool

    def refuses(self, numbers: Mapping[Hashable, int]) -> bool:
        """Return whether an assertion certainly refuses numbers: to declare the case with them takes longer."""
        return any(_is_false(each, numbers) for each in self.conditions)

    def names(self, numbers: Mapping[Hashable, int]) -> dict[str, int]:
        """Return the numbers by the names of their unknowns."""
        return {leaf.name: numbers[key] for key, leaf in self.unknowns.items()}

    def with_numbers(self, numbers: Mapping[Hashable, int]) -> ParameterCase:
        """Return the case with numbers in place of unknowns."""
        return with_reals(with_numbers(self.case, numbers), {})


def _open(session: Session, template: Template, case: ParameterCase) -> _Open:
    declared = declare_root(session, template, case.attributes, case.dtypes, case.inputs)
    conditions = tuple(each.condition for each in declared.checks)
    return _Open(case, _leaves(case), conditions, not declared.failures and declared.valid)


def _longer_cases(cases: Sequence[ParameterCase], template: Template) -> Iterator[ParameterCase]:
    """Yield cases with longer packs and greater ranks, in which the last items are repeated.

    Of lengths up to 3 alone, ``k <= 2 * n`` and ``k * k <= n`` can't be told from other bounds.
    """
    packs = frozenset(each.name for each in template.inputs if each.node.pack is not None)
    lengths = [_greatest_length(case, packs) for case in cases]
    longest = [case for case, length in zip(cases, lengths, strict=True) if length == max(lengths) > 0]
    seen = set()
    for case in longest[-MOST_LENGTHENED:]:
        for count, kinds in product((1, 2, 3, 5), product((True, False), repeat=3)):
            longer = _longer(case, packs, count, *kinds)
            if (lengths_of_all := _lengths_of(longer)) != _lengths_of(case) and lengths_of_all not in seen:
                seen.add(lengths_of_all)
                yield longer


def _lengths_of(case: ParameterCase) -> str:
    """Return a key of all lengths and ranks of a case, with the values of its attributes."""
    rows = {name: rows if rows is None else tuple(map(len, rows)) for name, rows in case.inputs.items()}
    return f"{rows} {[*map(str, case.attributes.values())]}"


def _greatest_length(case: ParameterCase, packs: Collection[str]) -> int:
    tensors = [(name, rows) for name, rows in case.inputs.items() if rows is not None]
    items = [len(rows) for name, rows in tensors if name in packs]
    values = [len(each.items or ()) for each in case.attributes.values() if isinstance(each, Pack)]
    return max((*items, *values, *(len(row) for name, rows in tensors for row in rows)), default=0)


def _longer(
    case: ParameterCase, packs: Collection[str], count: int, of_packs: bool, of_ranks: bool, of_values: bool
) -> ParameterCase:
    """Return a case in which the last tensors of packs, extents of shapes or items of attributes are repeated."""
    rank = max((len(row) for rows in case.inputs.values() for row in rows or ()), default=0)
    inputs = {
        name: rows
        if rows is None
        else tuple(
            (*row, *row[-1:] * (count if of_ranks and len(row) == rank else 0))
            for row in (*rows, *rows[-1:] * (count if of_packs and name in packs else 0))
        )
        for name, rows in case.inputs.items()
    }
    attributes = {
        name: Pack((*value.items, *value.items[-1:] * count), dtype=value.dtype)
        if of_values and isinstance(value, Pack) and value.items
        else value
        for name, value in case.attributes.items()
    }
    return ParameterCase(attributes, inputs, case.dtypes)


def _is_false(condition: Truth, numbers: Mapping[Hashable, int]) -> bool:
    try:
        return not shapes.evaluate(condition, {leaf.key: numbers[canonical(leaf.key)] for leaf in condition.leaves})
    except (KeyError, ArithmeticError):
        return False


def _chosen(
    cases: Sequence[_Open], template: Template, below: Callable[[int], int]
) -> Iterator[tuple[_Open, Mapping[Hashable, int]]]:
    """Yield cases with numbers for their unknowns, the same ones once, until no others are found."""
    literals = sorted(numbers_in(template.definition))
    chosen: set[tuple[int, tuple[int, ...]]] = set()
    turn = missed = 0
    while cases and missed < MOST_CHOSEN_SIZES:
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
    if leaf.low is None and below(4) == 0:
        return -1 - below(_NEGATIVE)
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


def _leaves(case: ParameterCase) -> dict[Hashable, Leaf]:
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
