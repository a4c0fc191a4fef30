"""Repeated runs of graphs whose steps are all compiled: a run inspects only the given arrays.

Everything else, such as shapes and the arrays of variables, is taken from the previous run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from snd_runtime.execution.flat.compiled_steps import CompiledSteps, Given
from snd_runtime.execution.flat.repeated import repeated_program
from snd_runtime.execution.flat.rows import StepRow
from snd_runtime.execution.prepared import PreparedSpecialization
from snd_runtime.execution.program import Program, Reference
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument


class Shortcut:
    """A repetition of compiled steps on other inputs."""

    def __init__(self, steps: CompiledSteps, program: Program, variables: Mapping[str, Argument], last: Given) -> None:
        """Prepare a shortcut; ``variables`` are the variables that the steps ran with."""
        self._steps = steps
        self._addresses = last.addresses
        self._inputs = [(steps.given.index(slot), *steps.kinds[slot]) for slot in program.inputs]  # type: ignore
        self._outputs = [steps.results.index(slot) for slot in program.outputs]  # type: ignore
        self._variables = [*variables.items()]
        # Arrays must live as long as their addresses are in use.
        self._arrays = [
            array for slot, array in zip(steps.given, last.arrays, strict=True) if slot not in program.inputs
        ]

    def run(self, inputs: Sequence[Argument], variables: Mapping[str, Argument]) -> list[Array] | None:
        """Return the outputs; None if anything is not as it was before, or there is no result to be trusted."""
        if len(inputs) != len(self._inputs):
            return None
        for name, value in self._variables:
            if variables.get(name) is not value:
                return None
        addresses = self._addresses.copy()
        for given, (at, shape, dtype) in zip(inputs, self._inputs, strict=True):
            if not isinstance(given, np.ndarray) or given.shape != shape or given.dtype != dtype:
                return None
            if not (given.flags.c_contiguous and given.flags.aligned):
                return None
            addresses[at] = given.ctypes.data
        results = self._steps.made_of(addresses)
        return None if results is None else [results[at] for at in self._outputs]


def shortcut_of(
    ready: PreparedSpecialization, real: np.dtype[Any], variables: Mapping[str, Argument]
) -> Shortcut | None:
    """Return a shortcut for repeating the last run, with these variables; None if it is more than compiled steps.

    ``variables`` are by scoped name, as the run left them.
    """
    program = repeated_program(ready, is_root=True, compiles=True) if ready.is_same_again else None
    if program is None or len(program.steps) != 1 or not isinstance(program.steps[0].action, StepRow):
        return None
    steps = program.steps[0].action.compiled_as_one(real)
    last = None if steps is None else steps.last_given()
    if steps is None or last is None:
        return None
    if not {*program.outputs} <= {*steps.results} or not {*program.inputs} <= {*steps.given}:
        return None
    names = {reference: name for name, reference, _ in program.variables} | steps.variables
    used = {name: variables.get(name) for name in names.values()}
    arrays = _by_slot(names, used)
    if any(arrays.get(slot, array) is not array for slot, array in zip(steps.given, last.arrays, strict=True)):
        return None  # another graph of the same specialization ran meanwhile
    return Shortcut(steps, program, used, last)


def _by_slot(names: Mapping[Reference, str], variables: Mapping[str, Argument]) -> dict[int, Argument]:
    """Return the array of each slot of variables; some variables are packs."""
    found: dict[int, Argument] = {}
    for reference, name in names.items():
        value = variables[name]
        if isinstance(reference, int):
            found[reference] = value
        else:
            found |= zip(reference or (), value or (), strict=False)
    return found
