"""Messages about a formula that fails at a point, before a run and in it."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.compose.formulas.formula import Formula
from snd_analysis.compose.formulas.terms import Slot


def outside_of_tensor(index: object, dimension: int, slot: Slot, extent: int | None) -> str:
    """Say that an index leads out of a tensor. The extent is None where only its limit is known."""
    shown = slot.name if not slot.items else f"{slot.name}[…]"
    outside = f"the index {index} is outside of dimension {dimension} of '{shown}'"
    if extent is not None:
        return f"{outside}, whose extent is {extent}"
    limit = slot.limits[dimension]
    return outside if limit is None else f"{outside}, whose extent is at most {limit}"


def point_text(formula: Formula, positions: Sequence[int]) -> str:
    """Return the values of the index symbols, `` (at i = 3)``, with unrolled loops first; empty if there are none."""
    unrolled = {name for name, _ in formula.fixed}
    named = zip((axis.name for axis in formula.axes), positions, strict=True)
    values = [*formula.fixed, *((name, at) for name, at in named if name not in unrolled)]
    return f" (at {', '.join(f'{name} = {at}' for name, at in values)})" if values else ""
