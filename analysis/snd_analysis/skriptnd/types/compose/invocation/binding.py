"""Ranks, pack lengths and extents of an invoked operator, bound by its arguments (2.6.2)."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from msgspec import Struct

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.type import Dimension, Extents
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, EqualityVerdict, Integer, NegativeExponent, Truth

_Complaint = Callable[[Integer], None]
ExtentComplaint = Callable[[Integer, Integer], None]
"""Called with the extent of an argument and with the required one, if the two certainly differ."""


class _Equation(Struct, frozen=True):
    formal: Integer
    actual: Integer
    complain: _Complaint | None
    """Called with the value of the formal side if the two sides certainly differ."""


class ShapeBinding:
    """The values of an operator's integers in one invocation.

    Every undetermined value becomes an unknown of this invocation, ``origin``. So results of two invocations are never
    mistaken for equal, while the results of one invocation share their unknowns.
    """

    def __init__(self, origin: nodes.Node) -> None:
        self._origin = origin
        self._unknowns: dict[Hashable, Integer] = {}
        """Unknowns of this invocation, keyed by the integer they replace."""
        self._values: dict[Hashable, Integer | Truth] = {}
        self._fresh: dict[Hashable, Integer | Truth] = {}
        self._packs: dict[Symbol, Extents] = {}
        self._equations: list[_Equation] = []
        self._lengths: list[_Equation] = []
        self._contradictory = False

    def bind(self, formal: Integer | None, actual: Integer | None) -> None:
        """Let the value of a name, which is a variable, be another."""
        if formal is None or actual is None:
            return
        keys = shapes.variables(formal)
        if len(keys) == 1:
            (key,) = keys
            if shapes.as_affine(formal, key) == (1, shapes.constant(0)):
                self._values.setdefault(key, actual)

    def bind_condition(self, key: Hashable, truth: Truth) -> None:
        """Set the condition of a bool attribute of the operator to true or false."""
        self._values.setdefault(key, truth)

    def equate(self, formal: Integer, actual: Integer, complain: _Complaint | None = None) -> None:
        """Note that the two sides are equal, which may bind variables of the formal one."""
        self._equations.append(_Equation(formal, actual, complain))

    def equate_length(self, formal: Integer, actual: Integer, complain: _Complaint | None = None) -> None:
        """Note that the length of a pack equals another; it is blamed only if it contradicts the other equations."""
        self._lengths.append(_Equation(formal, actual, complain))

    def relate(self, formal: Integer, other: Integer) -> None:
        """Two integers of the operator are equal."""
        self.equate_length(formal - other, shapes.constant(0))

    def solve(self) -> None:
        """Bind the variables that the equations determine, in any order; complain about equations that can't hold."""
        pending = self._equations + self._lengths
        progress = True
        while progress:
            progress = False
            for equation in list(pending):
                if self._settle(equation):
                    pending.remove(equation)
                    progress = True
        for equation in pending:
            self._judge(equation)
        self._equations, self._lengths = [], []

    def _settle(self, equation: _Equation) -> bool:
        if self._takes(equation):
            return True
        unbound = shapes.variables(equation.formal) - self._values.keys()
        if len(unbound) > 1:
            return False
        if not self._judge(equation) or not unbound:
            return True
        (key,) = unbound
        formal = self._substituted(equation.formal)
        form = None if formal is None else shapes.as_affine(formal, key)
        if form is None:
            return False
        value = shapes.solve_affine(*form, equation.actual)
        if value is None:
            return False
        self._values[key] = value
        return True

    def _takes(self, equation: _Equation) -> bool:
        """Return whether the formal side is a variable that may be the number on the other side, and is from now on."""
        leaf, number = equation.formal.variable, equation.actual.value
        if leaf is None or number is None or leaf.key in self._values:
            return False
        if (leaf.low is not None and number < leaf.low) or (leaf.high is not None and number > leaf.high):
            return False
        self._values[leaf.key] = equation.actual
        return True

    def _judge(self, equation: _Equation) -> bool:
        formal = None if self._contradictory else self._substituted(equation.formal)
        if formal is None or shapes.decide_equal(formal, equation.actual) is not EqualityVerdict.DIFFERENT:
            return True
        self._contradictory = True
        if equation.complain is not None:
            equation.complain(formal)
        return False

    def _substituted(self, formal: Integer) -> Integer | None:
        try:
            return shapes.substitute(formal, self._values)
        except (DivisionByZero, NegativeExponent):
            return None

    def give_up(self) -> None:
        """Make all results unknown: their inputs are wrong, which is reported."""
        self._contradictory = True

    def bind_extents(
        self, parts: tuple[Dimension, ...] | None, extents: Extents | None, complain: ExtentComplaint
    ) -> None:
        """Equate extents with the extents of an argument, whose ranks are bound already; to be solved."""
        if parts is None or extents is None or self._contradictory:
            return
        at = 0
        for part in parts:
            count = self.settled(part.count).value
            if count is None or count < 0 or at + count > len(extents):
                return
            taken = extents[at : at + count]
            at += count
            if not part.packed:
                if count == 1 and part.value is not None and taken[0] is not None:
                    self.equate(part.value, taken[0], partial(complain, taken[0]))
            elif part.symbol is not None:
                self._bind_pack(part.symbol, taken, complain)

    def _bind_pack(self, symbol: Symbol, taken: Extents, complain: ExtentComplaint) -> None:
        known = self._packs.setdefault(symbol, taken)
        if known is taken or len(known) != len(taken):
            return
        for before, here in zip(known, taken, strict=True):
            if (
                before is not None
                and here is not None
                and shapes.decide_equal(before, here) is EqualityVerdict.DIFFERENT
            ):
                self._contradictory = True
                complain(here, before)
                break
        self._packs[symbol] = tuple(
            here if before is None else before for before, here in zip(known, taken, strict=True)
        )

    def settled(self, formal: Integer) -> Integer:
        """Return the value of an integer of the operator; its unbound parts become unknowns."""
        if self._contradictory:
            return self._unsettled()
        if not formal.leaves:
            return formal
        for leaf in formal.leaves:
            if leaf.key not in self._values and leaf.key not in self._fresh:
                is_condition = (leaf.low, leaf.high) == (0, 1)
                self._fresh[leaf.key] = (
                    shapes.proposition((self._origin, leaf.key), leaf.name)
                    if is_condition
                    else self.unknown(leaf.name, leaf.low, leaf.key)
                )
        try:
            return shapes.substitute(formal, {**self._fresh, **self._values})
        except (DivisionByZero, NegativeExponent):
            return self._unsettled()

    def _unsettled(self) -> Integer:
        return self.unknown("value", 0, len(self._unknowns))

    def unknown(self, name: str, minimum: int | None, stands_for: Hashable) -> Integer:
        """Return an unknown of this invocation; every one that gets into a result is made here, or by ``rank``."""
        unknown = shapes.opaque(name, minimum, (self._origin, stands_for))
        self._unknowns[stands_for] = unknown
        return unknown

    def rank(self, formal: Integer, output: Symbol) -> Integer:
        """Return the rank of a result: one unknown if it is made of several."""
        settled = self.settled(formal)
        rank = shapes.without_unknowns(settled, "rank", (self._origin, output))
        if rank is not settled:
            self._unknowns[output] = rank
        return rank

    @property
    def is_repeatable(self) -> bool:
        """Return whether ``unknowns_for`` has all unknowns of this invocation."""
        return not any(isinstance(each, Truth) for each in self._fresh.values())

    def unknowns_for(self, origin: nodes.Node) -> dict[Hashable, Integer]:
        """Return replacements for this invocation's unknowns in a similar invocation, by key of the unknown."""
        found = {}
        for stands_for, unknown in self._unknowns.items():
            leaf = unknown.variable
            if leaf is not None:
                found[leaf.key] = shapes.opaque(leaf.name, leaf.low, (origin, stands_for), leaf.high)
        return found

    def known(self, formal: Integer | None) -> Integer | None:
        """Return the value of an integer of the operator; None if a part of it is not bound."""
        if formal is None or self._contradictory or not shapes.variables(formal) <= self._values.keys():
            return None
        return self._substituted(formal)

    def given(self, formal: Integer | None) -> Integer | None:
        """Return the value of an attribute, even if the shapes of arguments disagree; None if it is not known."""
        if formal is None or not shapes.variables(formal) <= self._values.keys():
            return None
        return self._substituted(formal)

    def extents(self, parts: tuple[Dimension, ...] | None) -> Extents | None:
        """Return the extents of a result, as far as they follow from those of the arguments.

        None if its rank does not follow.
        """
        if parts is None or self._contradictory:
            return None
        extents: list[Integer | None] = []
        for part in parts:
            count = self.settled(part.count).value
            if count is None or count < 0 or count > 64:
                return None
            pack = None if part.symbol is None else self._packs.get(part.symbol)
            if not part.packed or pack is None:
                extents.extend([self._possible(part)] * count)
            elif len(pack) == count:
                extents.extend(pack)
            else:
                return None
        return tuple(extents)

    def _possible(self, part: Dimension) -> Integer | None:
        """Return an extent of a result; None for one that is certainly negative, which composing reports."""
        extent = self.known(part.value)
        most = None if extent is None else shapes.bounds(extent)[1]
        return None if most is not None and most < 0 else extent
