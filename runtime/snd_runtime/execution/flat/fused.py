"""Element-wise operators, one after the other, as one step."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

from snd_analysis.model import Place
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.flat.leaf import Chain, seen_through
from snd_runtime.execution.program import Frame
from snd_runtime.lowering.fusion import Fused
from snd_runtime.lowering.lowered import Argument
from snd_runtime.lowering.memory import array_types


class Claim(Struct, frozen=True):
    """A tensor that a fused step computes, as far as limits ask for it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    place: Place | None
    is_kept: bool
    chain: Chain


class FusedFormulas(Struct, frozen=True):
    """Element-wise operators, one after the other."""

    fused: Fused
    inputs: tuple[int, ...]
    claims: tuple[Claim, ...]

    def reads(self) -> set[int]:
        """Return the slots that any of them reads."""
        return set(self.inputs)

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the arguments that later steps read."""
        budget, dtypes = frame.state.budget, array_types(frame.state.real)
        chain = self.claims[-1].chain
        try:
            for each in self.claims:
                chain, bytes_of_item = each.chain, dtypes[each.dtype].itemsize
                budget.allocate(f"'{each.name}'", each.shape, bytes_of_item, each.place)
                if not each.is_kept:
                    budget.release(prod(each.shape), bytes_of_item)
            return self.fused.run(frame.arrays, dtypes, budget, frame.state.compiles)
        except EvaluationFailed as failed:
            raise seen_through(failed, chain) from None
