"""Runs a composed graph or operator once, or again and again with the variables that the last run left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from snd_analysis.compose.instance import Instance
from snd_analysis.compose.session import Session
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.binding import bound, converted
from snd_runtime.execution.failing import check_empty_packs
from snd_runtime.execution.operators import invoke, run_instance
from snd_runtime.execution.prepared import weight_of
from snd_runtime.execution.request import Execution, Outcome
from snd_runtime.execution.state import State
from snd_runtime.lowering.lowered import Argument


@np.errstate(all="ignore")  # a constant may be too large for its type, too
def execute(session: Session, instance: Instance, inputs: Sequence[Argument], request: Execution) -> Outcome:
    """Runs an instance on arrays, null being None and packs sequences.

    An instance of other or unknown shapes is bound anew to those of the arrays, with the attributes that it has.
    Raises EvaluationFailed for what has no value, what can't be composed, and limits that are exceeded.
    """
    real = np.dtype(request.real)
    arguments = converted(instance.unit, inputs, real)
    try:
        instance = bound(session, instance, arguments)
        check_empty_packs(instance)
        unit = instance.unit
        total = weight_of(instance)
        if total == 1 and unit.is_composite:
            total = len(unit.components)
        state = State(session, request, total, invoke)
        outputs = run_instance(state, instance, arguments, "", is_root=True)
    except RecursionError:
        raise EvaluationFailed("limit-exceeded", "invocations are nested too deeply to be run") from None
    except MemoryError:
        raise EvaluationFailed("limit-exceeded", "there is not enough memory") from None
    names = [member.name for member in unit.outputs]
    variables = state.variables
    return Outcome(dict(zip(names, outputs, strict=True)), dict(variables.values), variables.drawn, variables.unused)


class StatefulGraph:
    """A graph, or operator, whose variables keep their values from run to run (2.11)."""

    def __init__(self, session: Session, instance: Instance, request: Execution) -> None:
        self.variables: dict[str, Argument] = dict(request.variables)
        self.drawn: tuple[str, ...] = ()
        """The names of variables that nothing gave."""
        self._session = session
        self._instance = instance
        self._request = request
        self._runs = 0

    @property
    def instance(self) -> Instance:
        """What is run."""
        return self._instance

    def run(self, inputs: Sequence[Argument]) -> Mapping[str, Argument]:
        """The outputs. The variables stay as they are if it fails. Raises EvaluationFailed."""
        request = replace(self._request, variables=self.variables, number=self._request.number + self._runs)
        outcome = execute(self._session, self._instance, inputs, request)
        self.variables.update(outcome.variables)
        self.drawn = tuple(sorted({*self.drawn, *outcome.drawn}))
        self._runs += 1
        return outcome.outputs
