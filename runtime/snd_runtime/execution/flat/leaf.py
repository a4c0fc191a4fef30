"""Invocations by operators that are composed, as if they stood in the body around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.compose import Site, Specialization
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.program import Frame, Reference, slots_of
from snd_runtime.execution.state import joined
from snd_runtime.lowering.lowered import Argument

Chain: TypeAlias = tuple[Site, ...]
"""The invocations that lead to a step, from the innermost outwards."""


class StepScope(Struct, frozen=True):
    """The scope of a step, below that of the frame unless it ``is_absolute``."""

    name: str = ""
    is_absolute: bool = False

    def within(self, frame: Frame) -> str:
        """Return the whole scope."""
        if self.is_absolute or not frame.scope:
            return self.name
        return joined(frame.scope, self.name) if self.name else frame.scope


class LeafInvocation(Struct, frozen=True):
    """An invocation inside composed operators, run as a step of the outermost body."""

    specialization: Specialization
    inputs: tuple[Reference, ...]
    scope: StepScope
    chain: Chain

    def reads(self) -> set[int]:
        """Return the slots of the inputs."""
        return slots_of(self.inputs)

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the outputs."""
        inputs = [frame.read(each) for each in self.inputs]
        try:
            return frame.state.invoke(self.specialization, inputs, self.scope.within(frame), frame.iterations)
        except EvaluationFailed as failed:
            raise seen_through(failed, self.chain) from None


def seen_through(failed: EvaluationFailed, chain: Chain) -> EvaluationFailed:
    """Return a failure with the invocations that lead to it."""
    for site in chain:
        failed = failed.via(site)
    return failed
