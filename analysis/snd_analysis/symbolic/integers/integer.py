"""Symbolic integers: polynomials with exact coefficients over atoms.

An atom is a variable, or an operation that no polynomial expresses (a quotient, a minimum, ...) over integers that are
already canonical. Two integers are equal if they have the same terms, so equal integers have equal values, wherever
they have one: an operation inside them may fail for some values of the variables (a divisor of zero, a negative
exponent). Canonical forms may cancel such a part, never introduce one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import gcd
from typing import Any, Final, TypeAlias

from msgspec import Struct

from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Leaf, Product, Variable
from snd_analysis.symbolic.intervals import Interval
from snd_analysis.symbolic.limits import DEEPEST_INTEGER, MOST_BITS, MOST_TERMS
from snd_analysis.symbolic.notation import Notated, notation

# ---- products of powers of atoms -------------------------------------------------------------------------------------
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
"""Atoms and their exponents, in a fixed order; empty for the constant term."""

UNIT: Final[Monomial] = ()


def ordered(factors: Iterable[tuple[Atom, int]]) -> Monomial:
    """Return the factors in the order that makes equal products equal."""
    return tuple(sorted(factors, key=_order))


def _order(factor: tuple[Atom, int]) -> tuple[int, str]:
    return factor[0].order


def multiply_monomials(a: Monomial, b: Monomial) -> Monomial:
    """Return the product: exponents add, but exponents of indicators stay 1."""
    if not a:
        return b
    if not b:
        return a
    exponents = dict(a)
    for atom, exponent in b:
        before = exponents.get(atom)
        if before is None:
            exponents[atom] = exponent
        elif not isinstance(atom, Indicator):
            exponents[atom] = before + exponent
    return ordered(exponents.items())


# ---- symbolic integers -----------------------------------------------------------------------------------------------
# Larger numbers are not computed: powers stay unevaluated, other coefficients become an unknown.
_LARGEST = 1 << MOST_BITS


class Integer(Notated):
    """A canonical polynomial. Made by the functions of this package only; immutable."""

    __slots__ = ("_bounds", "_conditions", "_depth", "_hash", "_leaves", "terms", "text")

    terms: Mapping[Monomial, int]
    """Coefficients, none of them zero."""
    text: str | None
    """Cached text."""

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = terms
        self._hash: int | None = None
        self._bounds: Interval | None = None
        self._leaves: frozenset[Leaf] | None = None
        self._depth: int | None = None
        self._conditions: int | None = None
        self.text = None

    # ---- identity ----------------------------------------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Integer):
            return NotImplemented
        return hash(self) == hash(other) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (tuple(self.terms.items()),)

    @property
    def value(self) -> int | None:
        """The number, if this is one."""
        terms = self.terms
        if not terms:
            return 0
        return terms.get(UNIT) if len(terms) == 1 else None

    @property
    def variable(self) -> Leaf | None:
        """The variable, if this is one and nothing else."""
        if len(self.terms) != 1:
            return None
        ((monomial, coefficient),) = self.terms.items()
        if coefficient != 1 or len(monomial) != 1:
            return None
        atom, exponent = monomial[0]
        return atom.leaf if type(atom) is Variable and exponent == 1 else None

    @property
    def constant_term(self) -> int:
        """Return the value with every atom set to zero."""
        return self.terms.get(UNIT, 0)

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients of all terms but the constant one; 0 if there are none."""
        return gcd(*(coefficient for monomial, coefficient in self.terms.items() if monomial))

    @property
    def leaves(self) -> frozenset[Leaf]:
        """The variables, at any depth."""
        if self._leaves is None:
            self._leaves = frozenset().union(*(atom.leaves for monomial in self.terms for atom, _ in monomial))
        return self._leaves

    @property
    def depth(self) -> int:
        """Depth of nested operations."""
        if self._depth is None:
            self._depth = max((atom.depth for monomial in self.terms for atom, _ in monomial), default=0)
        return self._depth

    @property
    def conditions(self) -> int:
        """Number of conditions at any depth; one inside several operations counts once for each."""
        if self._conditions is None:
            self._conditions = sum(atom.conditions for atom in self.atoms())
        return self._conditions

    def atoms(self) -> tuple[Atom, ...]:
        """Return the distinct factors of the monomials, without nested ones, in the order of the terms."""
        return tuple(dict.fromkeys(atom for monomial in self.terms for atom, _ in monomial))

    @property
    def is_conditional(self) -> bool:
        """Return whether an indicator is among the atoms."""
        for monomial in self.terms:
            for atom, _ in monomial:
                if type(atom) is Indicator:
                    return True
        return False

    # ---- arithmetic --------------------------------------------------------------------------------------------------
    def __add__(self, other: Integer | int) -> Integer:
        number = other if isinstance(other, int) else _number(other)
        if number is not None:
            return self._plus_constant(number)
        if not isinstance(other, Integer):
            return NotImplemented
        if not self.terms:
            return other
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            total = terms.get(monomial, 0) + coefficient
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return Integer(terms)

    __radd__ = __add__

    def _plus_constant(self, number: int) -> Integer:
        if not number:
            return self
        own = self.value
        if own is not None:
            return constant(own + number)
        terms = dict(self.terms)
        total = terms.get(UNIT, 0) + number
        if total:
            terms[UNIT] = total
        else:
            del terms[UNIT]
        return Integer(terms)

    def __neg__(self) -> Integer:
        return Integer({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __pos__(self) -> Integer:
        return self

    def __sub__(self, other: Integer | int) -> Integer:
        number = other if isinstance(other, int) else _number(other)
        if number is not None:
            return self._plus_constant(-number)
        return self + (-other) if isinstance(other, Integer) else NotImplemented

    def __rsub__(self, other: int) -> Integer:
        return (-self) + other

    def __mul__(self, other: Integer | int) -> Integer:
        if isinstance(other, int):
            return self.scaled(other)
        if not isinstance(other, Integer):
            return NotImplemented
        number = other.value
        if number is not None:
            return self.scaled(number)
        number = self.value
        if number is not None:
            return other.scaled(number)
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            return _unexpanded(self, other)
        terms: dict[Monomial, int] = {}
        for left, factor in self.terms.items():
            for right, coefficient in other.terms.items():
                monomial = multiply_monomials(left, right)
                terms[monomial] = terms.get(monomial, 0) + factor * coefficient
        return _within_limits({monomial: coefficient for monomial, coefficient in terms.items() if coefficient})

    __rmul__ = __mul__

    def scaled(self, factor: int) -> Integer:
        """Return the product with a number."""
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        return _within_limits({monomial: coefficient * factor for monomial, coefficient in self.terms.items()})

    def divided_exactly(self, divisor: int) -> Integer:
        """Return the quotient by a number that divides every coefficient."""
        return Integer({monomial: coefficient // divisor for monomial, coefficient in self.terms.items()})

    def __str__(self) -> str:
        number = self.value
        return notation(self) if number is None else str(number)

    def __repr__(self) -> str:
        return f"Integer({self})"


ZERO: Final = Integer({})
ONE: Final = Integer({UNIT: 1})
_SMALL: Final = {number: Integer({UNIT: number}) for number in range(-16, 257) if number} | {0: ZERO, 1: ONE}


def _number(other: object) -> int | None:
    """Return the number that a summand is; None if it is none. Most summands are: these are added without tables."""
    return other.value if isinstance(other, Integer) else None


def _within_limits(terms: Mapping[Monomial, int]) -> Integer:
    """Return the polynomial; an unknown if a number in it is too large."""
    if all(-_LARGEST < coefficient < _LARGEST for coefficient in terms.values()):
        return Integer(terms)
    return opaque("…", minimum=None)


def _unexpanded(a: Integer, b: Integer) -> Integer:
    first, second = sorted((a, b), key=hash)
    return of_operation(Product(first, second))


def _rebuild(items: tuple[tuple[Monomial, int], ...]) -> Integer:
    """Restore the order in monomials after unpickling: hashes differ between processes."""
    return Integer({ordered(monomial): coefficient for monomial, coefficient in items})


def constant(number: int) -> Integer:
    """Return a number."""
    known = _SMALL.get(number)
    return known if known is not None else Integer({UNIT: int(number)})


def as_integer(a: Integer | int) -> Integer:
    """Return a number or an integer as an integer."""
    return a if isinstance(a, Integer) else constant(a)


def of_atom(atom: Atom) -> Integer:
    """Return an atom as an integer."""
    return Integer({((atom, 1),): 1})


def of_operation(atom: Atom) -> Integer:
    """Return an operation as an integer; an unknown, if operations nest too deep to be walked."""
    return of_atom(atom) if atom.depth <= DEEPEST_INTEGER else opaque("...", minimum=None)


def variable(key: Hashable, name: str, minimum: int | None = 0, maximum: int | None = None) -> Integer:
    """Return an unknown integer within bounds (both included; None for no bound).

    The key says which unknown it is; the name is for printing. Give one key the same name and bounds everywhere in one
    computation.
    """
    if minimum is not None and minimum == maximum:
        return constant(minimum)
    return of_atom(Variable(Leaf(key, name, minimum, maximum)))


class _Unknown(Struct, frozen=True):
    """The key of something that nothing is known of."""

    origin: Hashable


def opaque(name: str, minimum: int | None = 0, origin: Hashable | None = None, maximum: int | None = None) -> Integer:
    """Return an unknown that equals only itself, and unknowns of the same ``origin`` if one is given."""
    return variable(_Unknown(object() if origin is None else origin), name, minimum, maximum)


def has_unknowns(a: Integer) -> bool:
    """Return whether nothing is known of a part of an integer, whose name tells readers nothing."""
    return any(isinstance(leaf.key, _Unknown) for leaf in a.leaves)


def without_unknowns(a: Integer, name: str, origin: Hashable | None = None) -> Integer:
    """Return ``a``, or a single unknown instead if it consists of several opaque values.

    A sum of opaque values says no more than one of them, and grows from operator to operator.
    """
    unknown = [leaf for leaf in a.leaves if isinstance(leaf.key, _Unknown)]
    return a if not unknown or len(a.leaves) == 1 else opaque(name, origin=origin)


# ---- folds over packs of unknown length (2.4, Folding) ---------------------------------------------------------------
class FoldKey(Struct, frozen=True):
    """The key of a fold over a pack of unknown length, for substitution, evaluation and ``variables``."""

    operator: str
    pack: Hashable


def sum_of(pack_key: Hashable, name: str, minimum: int | None = 0) -> Integer:
    """Return ``name + ..``: the sum of a pack (2.4, Folding); 0 at least unless said otherwise."""
    return of_atom(Variable(Leaf(FoldKey("+", pack_key), f"{name} + ..", minimum, None, True)))


def product_of(pack_key: Hashable, name: str, minimum: int | None = 0) -> Integer:
    """Return ``name * ..``: the product of a pack (2.4, Folding), such as the volume of a shape."""
    return of_atom(Variable(Leaf(FoldKey("*", pack_key), f"{name} * ..", minimum, None, True)))


# ---- affine expressions, by which extents and pack lengths declare names (2.6) ---------------------------------------
def as_affine(a: Integer, key: Hashable) -> tuple[int, Integer] | None:
    """Factor and offset with ``a == factor * x + offset`` for the variable of that key.

    None if the variable does not occur, or in any other way.
    """
    factor = 0
    offset = {}
    for monomial, coefficient in a.terms.items():
        if not any(leaf.key == key for atom, _ in monomial for leaf in atom.leaves):
            offset[monomial] = coefficient
            continue
        if len(monomial) != 1 or monomial[0][1] != 1 or not isinstance(monomial[0][0], Variable):
            return None
        factor += coefficient
    return (factor, Integer(offset)) if factor else None


def solve_affine(factor: int, offset: Integer, value: Integer | int) -> Integer | None:
    """Return the x with ``factor * x + offset == value``; None unless the division certainly leaves no remainder."""
    difference = as_integer(value) - offset
    if any(coefficient % factor for coefficient in difference.terms.values()):
        return None
    return difference.divided_exactly(factor)
