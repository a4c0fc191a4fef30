"""Matrices that fit an operator only if their dimensions are exchanged, such as weights saved by another framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.typing_state import TypedValue
from snd_analysis.skriptnd.types.signature import TensorParameter
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

_Bound: TypeAlias = tuple[TensorParameter, nodes.Expression, TypedValue]
_Extents: TypeAlias = Sequence[Integer | None]
_MATRIX = 2
"""Rank of a matrix."""


def transposed_argument(bound: Sequence[_Bound]) -> _Bound | None:
    """Return the one argument, not the first, whose transposition makes the extents of all arguments agree, else None.

    Only inputs without packed extents take part.
    """
    shaped = [(each, extents) for each in bound if (extents := _extents(each)) is not None]
    found = [
        each
        for at, (each, extents) in enumerate(shaped)
        if len(extents) == _MATRIX and each is not bound[0] and _fits_transposed(shaped, at)
    ]
    return found[0] if len(found) == 1 else None


def _extents(bound: _Bound) -> _Extents | None:
    """Return the extents of an argument, one for each extent of its declaration; None if they can't be assigned."""
    parameter, _, value = bound
    parts = parameter.dimensions
    if parts is None or value.extents is None or len(parts) != len(value.extents) or any(each.packed for each in parts):
        return None
    return value.extents


def _fits_transposed(shaped: Sequence[tuple[_Bound, _Extents]], matrix: int) -> bool:
    """Return whether every name has one value in all shapes if one matrix is transposed, which shares a known one."""
    known: dict[Symbol, tuple[Integer, int]] = {}
    shares = False
    for at, ((parameter, _, _), extents) in enumerate(shaped):
        for part, extent in zip(parameter.dimensions or (), extents[::-1] if at == matrix else extents, strict=True):
            if part.symbol is None or extent is None:
                continue
            first, owner = known.setdefault(part.symbol, (extent, at))
            verdict = shapes.decide_equal(first, extent)
            if verdict is EqualityVerdict.DIFFERENT:
                return False
            shares = shares or (verdict is EqualityVerdict.EQUAL and owner != at and matrix in (owner, at))
    return shares
