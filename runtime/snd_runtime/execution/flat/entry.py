"""State before the first step of an operator whose steps were inlined into the surrounding body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from snd_analysis.model import TensorValue
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.flat.leaf import Chain, StepScope, seen_through
from snd_runtime.execution.prepared import PreparedSpecialization
from snd_runtime.execution.program import Fixed, Frame, Reference, filled
from snd_runtime.execution.state import joined
from snd_runtime.lowering.lowered import Argument


class Entry(Struct, frozen=True):
    """State before the first step of a composed operator."""

    ready: PreparedSpecialization
    fixed: tuple[Fixed, ...]
    constants: tuple[tuple[str, Reference], ...]
    variables: tuple[tuple[str, Reference, TensorValue], ...]
    scope: StepScope
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


class Entries:
    """States of several operators before their first steps. Parts that do not depend on the run are computed once."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._constants: list[tuple[Reference, Argument]] | None = None
        self._variables: dict[str, list[tuple[Reference, str, TensorValue]]] = {}

    def enter(self, frame: Frame) -> None:
        """Write constants and variables into their slots; nothing is quantized. Raise EvaluationFailed."""
        constants, variables = self._constants, self._variables.get(frame.scope)
        if constants is None:
            constants = self._constants = [*self._found_constants(frame)]
        if variables is None:
            variables = self._variables[frame.scope] = [
                (reference, joined(entry.scope.within(frame), name), declared)
                for entry in self._entries
                for name, reference, declared in entry.variables
            ]
        for reference, value in constants:
            frame.write(reference, value)
        value_of = frame.state.variables.value
        for reference, name, declared in variables:
            frame.write(reference, value_of(name, declared))

    def names(self, scope: str) -> dict[Reference, str]:
        """Return the whole names of variables by slot, as ``enter`` found them last for frames of a scope."""
        return {reference: name for reference, name, _ in self._variables.get(scope, ())}

    def _found_constants(self, frame: Frame) -> Iterator[tuple[Reference, Argument]]:
        state = frame.state
        for entry in self._entries:
            for each in entry.fixed:
                yield each.slot, filled(state, each)
            known = entry.ready.constants(state.real, state.budget) if entry.constants else {}
            for name, reference in entry.constants:
                yield reference, known[name]
