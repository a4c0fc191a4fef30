"""How much may be looked at to answer a question about the data flow of formulas."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.compose.formulas.errors import LIMIT_EXCEEDED, FormulaFailed

_POINTS_OF_A_GROUP = 5
"""Points of which only some indices are looked at, in the time of one that is looked at as a whole."""
_CELLS = 50
"""Cells that are put together of the indices that groups of axes give, in that time."""


class PointBudget(Struct):
    """How many points of formulas may still be looked at to answer a question."""

    left: float

    def take(self, count: float) -> None:
        """Count points. Raises FormulaFailed if that are more than may be looked at."""
        self.left -= count
        if self.left < 0:
            raise FormulaFailed(LIMIT_EXCEEDED, "there are too many elements on the way; smaller extents have less")

    def take_points(self, count: int) -> None:
        """Count points of which the indices that depend on some axes are looked at. Raises FormulaFailed."""
        self.take(count / _POINTS_OF_A_GROUP)

    def take_cells(self, count: int) -> None:
        """Count cells. Raises FormulaFailed."""
        self.take(count / _CELLS)
