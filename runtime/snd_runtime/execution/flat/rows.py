"""Consecutive compiled steps: they run without Python between them, in memory kept for them.

Intermediate values of the row lie in memory that every run reuses. Steps that can't be compiled run between such rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_runtime.execution.flat.compilable import CompilableStep, compilable
from snd_runtime.execution.flat.compiled_steps import CompiledSteps
from snd_runtime.execution.limits import MOST_ROW_POINTS
from snd_runtime.execution.program import (
    Choice,
    ControlPart,
    Frame,
    Program,
    ProgramStep,
    Reference,
    Repetition,
    StepAction,
    slots_of,
)
from snd_runtime.lowering.compiled.calls import Buffers
from snd_runtime.lowering.lowered import Argument


def with_rows(program: Program) -> Program:
    """Return an equivalent program whose steps are compiled where possible."""
    buffers = Buffers()
    return replace(program, steps=_in_row(program.steps, buffers))


def _in_row(steps: Sequence[ProgramStep], buffers: Buffers) -> tuple[ProgramStep, ...]:
    """Return steps equivalent to ``steps``, which free tensors that nothing reads later."""
    if not steps:
        return ()
    inner = tuple(replace(step, action=_with_inner_rows(step.action, buffers)) for step in steps)
    freed = {slot for step in inner for slot in step.free}
    results = tuple(
        replace(result, slots=slot)
        for step in inner
        for result in step.results
        for slot in sorted(slots_of([result.slots]) - freed)
    )
    row = StepRow(inner, tuple(result.slots for result in results), buffers)
    return (ProgramStep(row, results, steps[-1].place, sum(step.weight for step in steps)),)


def _with_inner_rows(action: StepAction, buffers: Buffers) -> StepAction:
    def part(one: ControlPart) -> ControlPart:
        return replace(one, steps=_in_row(one.steps, buffers))

    match action:
        case Choice(cases, alternative):
            return Choice(tuple((part(a), part(b)) for a, b in cases), part(alternative))
        case Repetition(before=before, after=after, body=body):
            conditions = [None if each is None else part(each) for each in (before, after)]
            return replace(action, before=conditions[0], after=conditions[1], body=part(body))
    return action


class StepRow:
    """Steps as one: compilable ones run without Python between them."""

    def __init__(self, steps: Sequence[ProgramStep], results: Sequence[Reference], buffers: Buffers) -> None:
        self.steps = steps
        self._results = results
        self._buffers = buffers
        self._parts: dict[np.dtype[Any], list[ProgramStep | CompiledSteps]] = {}

    def reads(self) -> set[int]:
        """Return the slots that the steps read."""
        return set().union(*(step.action.reads() for step in self.steps))

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Run the steps: their results, as far as anything reads them later."""
        real = frame.state.real
        parts = self._parts.get(real)
        if parts is None:
            parts = self._parts[real] = [*self._cut(real)]
        for part in parts:
            part.run(frame)
        return [frame.read(each) for each in self._results]

    def compiled_as_one(self, real: np.dtype[Any]) -> CompiledSteps | None:
        """Return the steps if nothing runs between them."""
        parts = self._parts.get(real, [])
        only = parts[0] if len(parts) == 1 else None
        return only if isinstance(only, CompiledSteps) else None

    def _cut(self, real: np.dtype[Any]) -> Iterator[ProgramStep | CompiledSteps]:
        """Yield the steps, with consecutive compilable ones as one."""
        group: list[CompilableStep] = []
        points = 0
        for step in self.steps:
            each = compilable(step, real)
            added = 0 if each is None else sum(call.points for call in each.calls)
            if each is None or points + added > MOST_ROW_POINTS:
                yield from self._joined(group, real)
                group, points = [], 0
            if each is None:
                yield step
            else:
                group.append(each)
                points += added
        yield from self._joined(group, real)

    def _joined(self, group: Sequence[CompilableStep], real: np.dtype[Any]) -> Iterator[ProgramStep | CompiledSteps]:
        if any(each.calls for each in group):
            yield CompiledSteps(group, real, self._buffers)
        else:
            yield from (each.step for each in group)
