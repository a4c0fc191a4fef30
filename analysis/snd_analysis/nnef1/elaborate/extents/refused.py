"""Equations between extents that tract certainly can't prove, so that it does not load the graph.

tract proves nothing that is false for some sizes. Its treatment of minima and quotients differs from version to
version, so this module says nothing about them, except that a quotient leaves a remainder.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import lcm

from snd_analysis.compose import input_extent
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.values import ItemList
from snd_analysis.nnef1.limits import MOST_REMAINDERS
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer, Leaf, Quotient, Variable, exact_quotient


def is_refused(equation: Integer) -> bool:
    """Return whether tract certainly can't prove that an integer is 0.

    Symbols that an assertion mentions are left out: tract may know.
    """
    if is_symbolic(equation):
        return True
    return _is_of_symbols(equation) and _says_that_nothing_remains(equation)


def is_symbolic(value: object) -> bool:
    """Return whether an extent is a polynomial of symbols for tract, and no number."""
    return isinstance(value, Integer) and _is_of_symbols(value) and _is_polynomial(value)


def has_no_quotient(dividend: Integer, divisor: Integer) -> bool:
    """Return whether tract certainly finds no integer that times the divisor is the dividend."""
    is_known = exact_quotient(dividend, divisor) is not None
    parts = (dividend, divisor)
    return not is_known and all(each.value is not None or _is_of_symbols(each) for each in parts) and _is_plain(*parts)


def _is_of_symbols(value: Integer) -> bool:
    return value.value is None and all(map(_is_plain_symbol, value.leaves))


def _is_plain_symbol(leaf: Leaf) -> bool:
    plain = input_extent(leaf.name).variable
    return plain is not None and plain.key == leaf.key


def _is_polynomial(value: Integer) -> bool:
    return all(isinstance(each, Variable) for each in value.atoms())


def _is_plain(*values: Integer) -> bool:
    """Return whether integers are polynomials of symbols, and of quotients of such polynomials by numbers."""
    return all(
        isinstance(atom, Variable)
        or (isinstance(atom, Quotient) and _is_polynomial(atom.parts[0]) and atom.parts[1].value is not None)
        for value in values
        for atom in value.atoms()
    )


def _says_that_nothing_remains(equation: Integer) -> bool:
    """Return whether an equation holds for all sizes that quotients by numbers divide: ``S / 2 * 2 == S``."""
    if not _is_plain(equation):
        return False
    step = lcm(*(atom.parts[1].value or 1 for atom in equation.atoms() if isinstance(atom, Quotient)))
    return any(_vanishes(equation, step, at) for at in range(min(step, MOST_REMAINDERS)))


def _vanishes(equation: Integer, step: int, at: int) -> bool:
    sizes: Mapping[Hashable, Integer] = {
        leaf.key: step * integers.variable(leaf.key, leaf.name, leaf.low, None) + at for leaf in equation.leaves
    }
    return integers.substitute(equation, sizes).value == 0


# ---- axes that are named twice: tract inserts and removes one dimension after the other ------------------------------
# ``unsqueeze(x, axes = [0, 0])``, which exporters write, has two new dimensions, as ``[0, 1]`` says.


def with_distinct_axes(operation: str, given: Mapping[str, Given]) -> Mapping[str, Given]:
    """Return the arguments of an invocation with the axes that repeated ones denote for tract."""
    axes = given.get("axes")
    if operation not in ("unsqueeze", "squeeze") or axes is None:
        return given
    value = plain(axes.value)
    items = value.values if isinstance(value, ItemList) else ()
    numbers = [each.value for each in items if isinstance(each, Integer) and each.value is not None]
    if len(numbers) < len(items) or len(set(numbers)) == len(numbers) or min(numbers) < 0:
        return given
    found = _inserted(sorted(numbers)) if operation == "unsqueeze" else _removed(sorted(numbers, reverse=True))
    return {**given, "axes": Given(ItemList(tuple(map(integers.constant, found))), axes.span, axes.written)}


def _inserted(axes: Sequence[int]) -> list[int]:
    """Return the places of dimensions that are inserted one after the other."""
    found: list[int] = []
    for axis in axes:
        found = [*(each + (each >= axis) for each in found), axis]
    return sorted(found)


def _removed(axes: Sequence[int]) -> list[int]:
    """Return the places, before any removal, of dimensions that are removed one after the other."""
    left = list(range(max(axes) + len(axes)))
    return sorted(left.pop(axis) for axis in axes)
