"""Loops that accumulate short windows along a row of results: their text.

The positions within a window are unrolled, so that a result stays in a register and the loop along the row uses
vectors. Where all positions of the windows are within bounds, nothing is asked; the results before and after are
accumulated position by position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

_INDENT = "    "


class WindowRow(Struct, frozen=True):
    """Part of an array that is walked through, from ``place`` on, by steps along the row and within the window."""

    array: str
    place: str
    along: int
    within: int


class Windows(Struct, frozen=True):
    """A row of results, whose positions have the index ``i``, with a window of ``size`` positions ``k`` for each."""

    i: str
    k: str
    extent: str
    size: int
    limits: Sequence[tuple[str, str]]
    """The first ``i`` within bounds, and the one after the last, for a given ``k``."""
    conditions: Sequence[str]
    """Conditions under which ``at``, a position ``i``, is within bounds for a given ``k``."""
    rows: Mapping[str, WindowRow]
    """Rows by the names of their parts. Position ``i``, ``j`` is ``i`` outer steps plus ``j`` inner steps."""
    results: Sequence[str]
    """Lines that compute values shared by all positions of a window."""
    values: Sequence[str]
    """Lines that compute a value for a position ``j``."""
    target: str
    step: str
    """Line that accumulates the value in ``s``."""

    def before(self) -> list[str]:
        """Return the lines that find where whole windows are, which mostly is the same for all rows."""
        if not self.limits:
            return []
        first = f"max({', '.join(('0', *(low for low, _ in self.limits)))})"
        last = f"min({', '.join((self.extent, *(high for _, high in self.limits)))})"
        return [
            *(f"{self.k} = 0", f"l = {first}", f"h = {last}"),
            *(f"{self.k} = {self.size - 1}", f"l = min(max(l, {first}), {self.extent})", f"h = max(l, min(h, {last}))"),
        ]

    def lines(self) -> list[str]:
        """Return the lines."""
        if not self.limits:
            return [*self._parts("0", "0"), *self._inside("0", self.extent)]
        ends = f"for at in range(h if side else 0, {self.extent} if side else l):"
        return [
            *(*self._parts("l", "0"), *self._inside("l", "h"), "for side in range(2):", _INDENT + ends),
            *(_INDENT * 2 + f"for {self.k} in range({self.size}):",),
            *(_INDENT * 3 + f"if {' and '.join(self.conditions)}:",),
            *(_INDENT * 4 + line for line in (*self._parts("at", self.k), f"{self.i} = 0", "j = 0", *self._of_one())),
        ]

    def _parts(self, first: str, position: str) -> list[str]:
        """Return the lines that begin the parts at a position of the row, and one within the window."""
        return [
            f"{name} = {row.array}[{row.place} + {first} * {row.along} + {position} * {row.within} :]"
            for name, row in self.rows.items()
        ]

    def _inside(self, first: str, end: str) -> list[str]:
        lines = [*self.results, f"s = {self.target}", f"for j in range({self.size}):"]
        lines += [_INDENT + line for line in (*self.values, self.step)]
        return [
            f"for {self.i} in range({end} - {first}):",
            *(_INDENT + line for line in (*lines, f"{self.target} = s")),
        ]

    def _of_one(self) -> list[str]:
        return [*self.results, f"s = {self.target}", *self.values, self.step, f"{self.target} = s"]
