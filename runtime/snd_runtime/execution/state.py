"""State that all invocations of one run share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.compose import Session, Specialization
from snd_analysis.model import Place, Tensor, TensorValue
from snd_analysis.symbolic.values import Pack, Value
from snd_runtime.execution.factors import Factors
from snd_runtime.execution.quantizing import Quantizing
from snd_runtime.execution.request import ComputedTensor, Execution, NamedValue
from snd_runtime.execution.variables import FittedVariables, Variables, generator_for
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument

Invoke: TypeAlias = "Callable[[State, Specialization, Sequence[Argument], str, tuple[int, ...]], Sequence[Argument]]"
"""A function that runs a specialization on arguments, in a scope, in iterations of loops."""


class State:
    """The variables, the budget and the observers of one run; ``invoke`` is how a specialization is run in it."""

    def __init__(
        self, session: Session, request: Execution, total: int, invoke: Invoke, checked: FittedVariables | None
    ) -> None:
        self.session = session
        self.budget = Budget(request.limits)
        self.real: np.dtype[Any] = np.dtype(request.real)
        self.quantizing = Quantizing(
            session, request.quantize, lambda callee, array, scope: self.invoke(callee, [array], scope, ())[0]
        )
        factors = Factors(session)
        self.variables = Variables(request.variables, request.seed, self.real, self.budget, factors, checked)
        self.watch = request.watch
        self.watch_names = request.watch_names
        self.compares = request.compare
        self.is_repeated = False
        """True if the same was run before."""
        self.compiles = False
        """True if formulas may be compiled: only if the same was run before, since that takes time."""
        self.done = 0
        self._request = request
        self._total = total
        self._invoke = invoke
        self._generators: Counter[str] = Counter()

    @property
    def is_unobserved(self) -> bool:
        """Return whether the outputs are all that matters, not values on the way."""
        is_watched = self.watch is not None or self.watch_names is not None
        return not (is_watched or self.compares or self.quantizing.is_applied)

    def repeat(self) -> None:
        """Note that the same was run before."""
        self.is_repeated = True
        self.compiles = self._request.compiles

    def invoke(
        self, specialization: Specialization, inputs: Sequence[Argument], scope: str, iterations: tuple[int, ...]
    ) -> Sequence[Argument]:
        """Return the outputs of a specialization. Raise EvaluationFailed."""
        return self._invoke(self, specialization, inputs, scope, iterations)

    def variable(self, scope: str, name: str, declared: TensorValue) -> Argument:
        """Return the value of a variable, quantized if that is asked for. Raise EvaluationFailed if it doesn't fit."""
        return self.quantizing.apply(scope, name, self.variables.value(joined(scope, name), declared))

    def advance(self, done: int) -> None:
        """Report the number of finished operations, up to the number counted before."""
        self.done = done
        if self._request.progress is not None:
            self._request.progress(min(done, self._total), self._total)

    def generator(self, scope: str) -> np.random.Generator:
        """Return a generator for one invocation; invocations of the same scope, in a loop, have different ones."""
        number = self._generators[scope]
        self._generators[scope] += 1
        return generator_for(self._request.seed, scope, self._request.number, number)

    def show(self, scope: str, tensor: Value, value: Argument, iterations: tuple[int, ...]) -> None:
        """Show a tensor, or the tensors of a pack, to the observer."""
        if self.watch is None or value is None:
            return
        if isinstance(tensor, Tensor):
            assert isinstance(value, np.ndarray)
            name = joined(scope, tensor.name)
            self.watch(ComputedTensor(name, value, tensor.dtype or "", tensor.place, iterations, tensor))
        elif isinstance(tensor, Pack):
            for one, array in zip(tensor.items or (), value, strict=False):
                self.show(scope, one, array, iterations)

    def tell(self, name: str, value: Argument, place: Place | None = None, iterations: tuple[int, ...] = ()) -> None:
        """Report the current value of a name to the observer of names."""
        if self.watch_names is not None:
            self.watch_names(NamedValue(name, value, place, iterations))


def joined(scope: str, name: str) -> str:
    """Return a name in a scope (2.10, Labelling)."""
    return f"{scope}.{name}" if scope else name


def truth(value: Argument) -> bool | None:
    """Return the value of a condition, a tensor of one element (2.10.1); None for other sizes."""
    return bool(value.reshape(-1)[0]) if isinstance(value, np.ndarray) and value.size == 1 else None
