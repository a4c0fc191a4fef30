"""Limit of the work for a question about the data flow of formulas."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.compose.formulas.errors import LIMIT_EXCEEDED, FormulaFailed

_POINTS_OF_A_GROUP = 5
"""Number of partly examined points that take the time of one whole point."""
_CELLS = 50
"""Cells that are put together of the indices that groups of axes give, in that time."""


class PointBudget(Struct):
    """Number of points of formulas that may still be examined to answer a question."""

    left: float

    def take(self, count: float) -> None:
        """Count points. Raise FormulaFailed if that are more than may be looked at."""
        self.left -= count
        if self.left < 0:
            raise FormulaFailed(LIMIT_EXCEEDED, "there are too many elements on the way; smaller extents have less")

    def take_points(self, count: int) -> None:
        """Count points whose indices are examined along some axes only. Raise FormulaFailed."""
        self.take(count / _POINTS_OF_A_GROUP)

    def take_cells(self, count: int) -> None:
        """Count cells. Raise FormulaFailed."""
        self.take(count / _CELLS)
