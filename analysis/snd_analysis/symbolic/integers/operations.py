"""Operations that no polynomial expresses, as atoms. Only the functions that simplify them create them.

Those functions are in modules above this one: each declares the operations that it simplifies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from snd_analysis.symbolic.integers.atoms import Atom, IntegerOperation
from snd_analysis.symbolic.integers.integer import Integer, as_integer, of_operation
from snd_analysis.symbolic.integers.truth import AtomicCondition, Truth


class Quotient(IntegerOperation):
    """``dividend / divisor``, rounded down."""

    __slots__ = ()
    parts: tuple[Integer, Integer]


class Power(IntegerOperation):
    """``base ** exponent``; without value for a negative exponent."""

    __slots__ = ()
    parts: tuple[Integer, Integer]


class Extremum(IntegerOperation):
    """The minimum or maximum of a set of at least two integers."""

    __slots__ = ()
    parts: tuple[bool, frozenset[Integer]]

    def __new__(cls, largest: bool, candidates: frozenset[Integer]) -> Extremum:
        return super().__new__(cls, largest, Candidates(candidates))  # type: ignore[return-value]

    @property
    def largest(self) -> bool:
        """Return whether this is the maximum."""
        return self.parts[0]

    @property
    def candidates(self) -> frozenset[Integer]:
        """The compared integers."""
        return self.parts[1]


class Candidates(frozenset[Integer]):
    """A set of integers as a part of an operation."""

    __slots__ = ()

    @property
    def depth(self) -> int:
        """The depth of the deepest operand."""
        return max(candidate.depth for candidate in self)

    @property
    def conditions(self) -> int:
        """Number of conditions of all operands."""
        return sum(candidate.conditions for candidate in self)

    @property
    def leaves(self) -> frozenset[object]:
        """Leaves of all operands."""
        return frozenset().union(*(candidate.leaves for candidate in self))


class Absolute(IntegerOperation):
    """``abs(x)``."""

    __slots__ = ()
    parts: tuple[Integer]


class Sign(IntegerOperation):
    """``sign(x)``: -1, 0 or 1."""

    __slots__ = ()
    parts: tuple[Integer]


class Function(IntegerOperation):
    """``name(arguments)``, about which only a lower bound is known."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.parts[0])

    @property
    def minimum(self) -> int | None:
        """The minimum of all results."""
        return self.parts[1]  # type: ignore[no-any-return]

    @property
    def arguments(self) -> tuple[Integer, ...]:
        """Arguments of the function."""
        return self.parts[2:]


def function(name: str, *arguments: Integer | int, minimum: int | None = None) -> Integer:
    """Return ``name(arguments)`` with a lower bound; equal for the same name and equal arguments."""
    return of_operation(Function(name, minimum, *map(as_integer, arguments)))


# ---- simplifying functions -------------------------------------------------------------------------------------------
_Function = TypeVar("_Function", bound=Callable[..., Any])

_SIMPLIFYING: dict[type[Atom | Truth], Callable[..., Any]] = {}


def simplifies(form: type[Atom | Truth]) -> Callable[[_Function], _Function]:
    """Declare that a function makes the canonical integer or condition of a form, given its parts."""

    def declare(function: _Function) -> _Function:
        _SIMPLIFYING[form] = function
        return function

    return declare


@overload
def simplified(form: type[Atom], *parts: Any) -> Integer: ...
@overload
def simplified(form: type[AtomicCondition], *parts: Any) -> Truth: ...
def simplified(form: type[Atom] | type[AtomicCondition], *parts: Any) -> Integer | Truth:
    """Return the canonical integer or condition of a form with these parts."""
    result: Integer | Truth = _SIMPLIFYING[form](*parts)
    return result
