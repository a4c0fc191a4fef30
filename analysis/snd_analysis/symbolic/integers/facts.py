"""Facts that assertions state about unknowns beyond their bounds: equations and inequalities between several of them.

The facts about an unknown are a part of its key. So code that compares integers has them at hand, and an integer
computed with other facts is never mistaken for the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.symbolic.integers.atoms import Leaf, Variable
from snd_analysis.symbolic.integers.integer import (
    UNIT,
    Integer,
    Monomial,
    as_affine,
    multiply_monomials,
    of_atom,
    ordered,
    variable,
)
from snd_analysis.symbolic.integers.substitution import substitute
from snd_analysis.symbolic.limits import MOST_COMBINED_FACTS


class _Plain(Struct, frozen=True):
    """The key of an unknown inside facts, where only its bounds are known."""

    name: str


class Facts(Struct, frozen=True, cache_hash=True):
    """Facts about several unknowns. The integers contain only plain unknowns, with their bounds."""

    equal: tuple[Integer, ...] = ()
    """Integers that are 0, as they were asserted."""
    solved: tuple[tuple[Hashable, Integer], ...] = ()
    """Replacements of unknowns; none of the replaced unknowns occurs in them."""
    zero: tuple[Integer, ...] = ()
    """Integers that are 0, but could not be solved for an unknown."""
    at_least_zero: tuple[Integer, ...] = ()


class Asserted(Struct, frozen=True, cache_hash=True):
    """The key of an unknown that assertions say something about."""

    identifier: str
    low: int | None
    high: int | None
    facts: Facts


def plain_unknown(name: str, low: int | None = 0, high: int | None = None) -> Integer:
    """Return the unknown of a name as it stands in facts."""
    return variable(_Plain(name), name, low, high)


def asserted_unknown(
    name: str, low: int | None, high: int | None, facts: Facts, identifier: str | None = None
) -> Integer:
    """Return the unknown with a name and facts. ``identifier`` distinguishes it from others of the same name."""
    return variable(Asserted(identifier or name, low, high, facts), name, low, high)


def facts_from(equal: Iterable[Integer], at_least_zero: Iterable[Integer]) -> Facts:
    """Return the facts that some integers of plain unknowns are 0, and others not below."""
    asserted = (*equal,)
    pending, inequalities = list(asserted), list(at_least_zero)
    solved: dict[Hashable, Integer] = {}
    zero: list[Integer] = []
    while pending:
        equation = pending.pop(0)
        found = _solved(equation)
        if found is None:
            if equation.value is None:
                zero.append(equation)
            continue
        leaf, value = found
        known = {leaf.key: value}
        solved = {key: substitute(each, known) for key, each in solved.items()}
        solved[leaf.key] = value
        pending = [substitute(each, known) for each in (*pending, *zero)]
        zero.clear()
        # A replacement inherits the bounds of its unknown.
        inequalities += [] if leaf.low is None else [value - leaf.low]
        inequalities += [] if leaf.high is None else [leaf.high - value]
    kept = dict.fromkeys(substitute(each, solved) for each in inequalities)
    unknown = (each for each in kept if each.value is None and len(each.terms.keys() - {UNIT}) > 1)
    return Facts(asserted, tuple(solved.items()), tuple(zero), tuple(unknown))


def _solved(equation: Integer) -> tuple[Leaf, Integer] | None:
    """Return an unknown of an equation and its value: preferably a sum without differences, which is not below 0."""
    found: list[tuple[int, str, Leaf, Integer]] = []
    for leaf in equation.leaves:
        form = as_affine(equation, leaf.key)
        if form is not None and form[0] in (1, -1):
            value = -form[1] if form[0] == 1 else form[1]
            found.append((sum(number < 0 for number in value.terms.values()), leaf.name, leaf, value))
    if not found:
        return None
    _, _, leaf, value = min(found, key=lambda each: each[:2])
    return leaf, value


# ---- consequences ----------------------------------------------------------------------------------------------------
def facts_of(leaves: Iterable[Leaf]) -> Facts | None:
    """Return the combined facts about some unknowns: facts about unconnected unknowns hold together."""
    keys = sorted({leaf.key for leaf in leaves if type(leaf.key) is Asserted}, key=lambda key: key.identifier)
    found = [each for each in dict.fromkeys(key.facts for key in keys) if each.equal or each.at_least_zero]
    if len(found) < 2:
        return found[0] if found else None
    return Facts(
        tuple(each for facts in found for each in facts.equal),
        tuple(each for facts in found for each in facts.solved),
        tuple(each for facts in found for each in facts.zero),
        tuple(each for facts in found for each in facts.at_least_zero),
    )


def equal_to(a: Integer, facts: Facts) -> Integer:
    """Return an integer rewritten by equations: equal integers become the same."""
    a = substitute(_with_plain_unknowns(a), dict(facts.solved))
    for equation in facts.zero:
        lead = max((monomial for monomial in equation.terms if monomial), key=_rank)
        for monomial, coefficient in tuple(a.terms.items()):
            rest = _divided(monomial, lead)
            times, remainder = divmod(coefficient, equation.terms[lead])
            if rest is not None and not remainder:
                a = a - _times(equation, rest).scaled(times)
    return a


def at_most(a: Integer, facts: Facts) -> Iterator[Integer]:
    """Yield lower bounds of an integer of plain unknowns."""
    pending, tried = [(a, 2)], 0
    while pending and tried < MOST_COMBINED_FACTS:
        current, depth = pending.pop(0)
        for fact in facts.at_least_zero:
            for times in _multiples(current, fact):
                tried += 1
                lower = current - fact.scaled(times)
                yield lower
                if depth > 1:
                    pending.append((lower, depth - 1))


def _multiples(a: Integer, fact: Integer) -> set[int]:
    """Return the numbers by which to multiply a fact so that subtracting it cancels a term of an integer."""
    found = set()
    for monomial, coefficient in fact.terms.items():
        times, remainder = divmod(a.terms.get(monomial, 0), coefficient)
        if monomial and not remainder and times > 0:
            found.add(times)
    return found


def in_other_words(a: Integer) -> Iterator[Integer]:
    """Yield other sums that an integer is by the equations that are asserted of its unknowns."""
    facts = facts_of(a.leaves)
    if facts is None:
        return
    plain = _with_plain_unknowns(a)
    for equation in facts.equal:
        for monomial, coefficient in equation.terms.items():
            times, remainder = divmod(plain.terms.get(monomial, 0), coefficient)
            if times and not remainder:
                yield plain - equation.scaled(times)


def _with_plain_unknowns(a: Integer) -> Integer:
    plain: Mapping[Hashable, Integer] = {
        leaf.key: of_atom(Variable(replace(leaf, key=_Plain(leaf.name))))
        for leaf in a.leaves
        if type(leaf.key) is Asserted
    }
    return substitute(a, plain) if plain else a


# ---- polynomials -----------------------------------------------------------------------------------------------------
def _rank(monomial: Monomial) -> tuple[int, int, str]:
    """Return the order in which terms of an equation are replaced: operations before products before unknowns."""
    depth = max(atom.depth for atom, _ in monomial)
    return depth, sum(exponent for _, exponent in monomial), " ".join(sorted(str(atom) for atom, _ in monomial))


def _divided(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    exponents = dict(monomial)
    for atom, exponent in divisor:
        exponents[atom] = exponents.get(atom, 0) - exponent
    if any(exponent < 0 for exponent in exponents.values()):
        return None
    return ordered((atom, exponent) for atom, exponent in exponents.items() if exponent)


def _times(a: Integer, factor: Monomial) -> Integer:
    return Integer({multiply_monomials(monomial, factor): number for monomial, number in a.terms.items()})


# ---- bounds of each --------------------------------------------------------------------------------------------------
def components(integers: Sequence[Integer]) -> list[tuple[set[Hashable], list[Integer]]]:
    """Group the integers by connected unknowns: two unknowns in one integer belong together."""
    found: list[tuple[set[Hashable], list[Integer]]] = []
    for each in integers:
        keys: set[Hashable] = {leaf.key for leaf in each.leaves}
        same = [part for part in found if part[0] & keys]
        found = [part for part in found if part not in same]
        found.append((keys.union(*(part[0] for part in same)), [*(a for part in same for a in part[1]), each]))
    return found
