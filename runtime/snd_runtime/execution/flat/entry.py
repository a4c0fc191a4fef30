"""What is there before the first step of an operator whose steps stand in the body around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.model import TensorValue
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.flat.leaf import Chain, Scope, seen_through
from snd_runtime.execution.program import Fixed, Frame, Reference, filled
from snd_runtime.lowering.lowered import Argument

if TYPE_CHECKING:
    from snd_runtime.execution.prepared import Prepared


class Entry(Struct, frozen=True):
    """What is there before the first step of an operator that is composed."""

    ready: Prepared
    fixed: tuple[Fixed, ...]
    constants: tuple[tuple[str, Reference], ...]
    variables: tuple[tuple[str, Reference, TensorValue], ...]
    scope: Scope
    chain: Chain

    def reads(self) -> set[int]:
        """Return no slot: it reads none."""
        return set()

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Write constants and variables into their slots."""
        state, scope = frame.state, self.scope.within(frame)
        try:
            for each in self.fixed:
                frame.arrays[each.slot] = filled(state, each)
            constants = self.ready.constants(state.real, state.budget) if self.constants else {}
            for name, reference in self.constants:
                frame.write(reference, constants[name])
            for name, reference, declared in self.variables:
                frame.write(reference, state.variable(scope, name, declared))
        except EvaluationFailed as failed:
            raise seen_through(failed, self.chain) from None
        return ()
