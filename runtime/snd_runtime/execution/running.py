"""Execution of a composed graph or operator, once or repeatedly with the variables of the last run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from snd_analysis.compose import Session, Specialization
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.binding import bound, converted
from snd_runtime.execution.failing import check_empty_packs
from snd_runtime.execution.flat import Shortcut, shortcut_of
from snd_runtime.execution.operators import invoke, run_specialization
from snd_runtime.execution.prepared import prepared, weight_of
from snd_runtime.execution.request import Execution, RunResult
from snd_runtime.execution.state import State
from snd_runtime.execution.variables import FittedVariables
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import LIMIT_EXCEEDED


@np.errstate(all="ignore")  # a constant may be too large for its type, too
def execute(
    session: Session,
    specialization: Specialization,
    inputs: Sequence[Argument],
    request: Execution,
    checked: FittedVariables | None = None,
) -> RunResult:
    """Run a specialization on arrays, null being None and packs sequences.

    ``checked`` has variables that fitted in an earlier run, and receives the variables of this one. A specialization of
    other or unknown shapes is bound anew to the shapes of the arrays, with its attributes. Raise EvaluationFailed for
    an expression without a value, a failure of composing, and exceeded limits.
    """
    real = np.dtype(request.real)
    arguments = converted(specialization.template, inputs, real, specialization.scope.dtypes)
    try:
        specialization = bound(session, specialization, arguments)
        check_empty_packs(specialization)
        template = specialization.template
        total = weight_of(specialization)
        if total == 1 and template.is_composite:
            total = len(template.components)
        state = State(session, request, total, invoke, checked)
        outputs = run_specialization(state, specialization, arguments, "", is_root=True)
    except RecursionError:
        raise EvaluationFailed(LIMIT_EXCEEDED, "invocations are nested too deeply to be run") from None
    except MemoryError:
        raise EvaluationFailed(LIMIT_EXCEEDED, "there is not enough memory") from None
    names = [member.name for member in template.outputs]
    variables = state.variables
    return RunResult(
        dict(zip(names, map(_own, outputs), strict=True)),
        dict(variables.values),
        variables.drawn,
        variables.unused,
        state.quantizing.tensors,
        variables.stored,
    )


def _own(output: Argument) -> Argument:
    """Return an output that the caller may change: an array that all runs share, such as a constant, is copied."""
    if isinstance(output, np.ndarray):
        return output if output.flags.writeable else output.copy()
    return None if output is None else tuple(array if array.flags.writeable else array.copy() for array in output)


class StatefulGraph:
    """A graph, or operator, whose variables keep their values from run to run (2.11)."""

    def __init__(self, session: Session, specialization: Specialization, request: Execution) -> None:
        self.variables: dict[str, Argument] = dict(request.variables)
        self.drawn: tuple[str, ...] = ()
        """The names of variables that nothing gave."""
        self._session = session
        self._specialization = specialization
        self._names = [member.name for member in specialization.template.outputs]
        self._request = request
        self._runs = 0
        self._checked: FittedVariables = {}
        self._shortcut: Shortcut | None = None

    @property
    def specialization(self) -> Specialization:
        """Return the specialization that is run."""
        return self._specialization

    def rebind(self, specialization: Specialization) -> None:
        """Run another specialization of the same graph from now on. The variables keep their values."""
        self._specialization = specialization
        self._shortcut = None

    def run(self, inputs: Sequence[Argument]) -> Mapping[str, Argument]:
        """Return the outputs. The variables stay unchanged if it fails. Raise EvaluationFailed."""
        shortcut = self._shortcut
        results = None if shortcut is None else shortcut.run(inputs, self.variables)
        if results is not None:
            self._runs += 1
            return dict(zip(self._names, results, strict=True))
        request = replace(self._request, variables=self.variables, number=self._request.number + self._runs)
        outcome = execute(self._session, self._specialization, inputs, request, self._checked)
        self.variables.update(outcome.variables)
        self.drawn = tuple(sorted({*self.drawn, *outcome.drawn}))
        self._runs += 1
        if request.compiles and not request.tells:
            self._shortcut = shortcut_of(prepared(self._specialization), np.dtype(request.real), self.variables)
        return outcome.outputs
