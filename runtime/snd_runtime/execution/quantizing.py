"""Quantized evaluation: the operators of ``@quantize``, applied to the tensors that they name (2.14)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose import Session, Site, Specialization, Template
from snd_analysis.compose.body import missing_dimensions, quantized_name
from snd_analysis.model import Quantization, Tensor, tensors_of
from snd_analysis.symbolic.values import Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.binding import bind_arrays
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument

RunOperator: TypeAlias = "Callable[[Specialization, Array, str], Argument]"
"""A function that runs an operator of one input and one output on an array, in a scope."""


class QuantizedTensor(Struct, frozen=True):
    """A tensor that ``@quantize`` names, by its scoped name, and the operator that it names for it."""

    name: str
    operator: str
    change: float | None = None
    """The largest change of an element by quantization; None if quantization was not applied."""


class Quantizing:
    """Applies quantizations to tensors by their scoped names, if that ``is_applied``, and keeps account of it."""

    def __init__(self, session: Session, is_applied: bool, run: RunOperator) -> None:
        self.is_applied = is_applied
        self._session = session
        self._run = run
        self._quantizations: dict[str, Quantization] = {}
        self._changes: dict[str, float] = {}
        self._bound: dict[tuple[str, tuple[int, ...], np.dtype[Any]], Specialization] = {}
        self._results: WeakValueDictionary[tuple[str, int], Array] = WeakValueDictionary()

    def enter(self, specialization: Specialization, scope: str) -> None:
        """Note the quantizations of a definition; entries of outer definitions have priority."""
        if specialization.body is not None:
            for name, found in specialization.body.quantizations.items():
                self._quantizations.setdefault(quantized_name(_joined(scope, name)), found)

    def leads_into(self, scope: str) -> bool:
        """Return whether any tensor in a scope is quantized."""
        named = f"{quantized_name(scope)}." if scope else ""
        return self.is_applied and any(name.startswith(named) for name in self._quantizations)

    def apply(self, scope: str, name: str, value: Argument) -> Argument:
        """Return the quantized version of a tensor, or of the tensors in a pack. Raise EvaluationFailed."""
        if not self.is_applied or not self._quantizations or value is None:
            return value
        named = quantized_name(_joined(scope, name))
        found = self._quantizations.get(named)
        if found is None:
            return value
        if isinstance(value, np.ndarray):
            # The result of a condition has no name of its own: it may have the name of a tensor of the graph.
            return value if value.dtype.kind == "b" else self._quantized(named, found, value)
        return tuple(self._quantized(named, found, each) for each in value)

    def result(self, scope: str, tensor: Value, value: Argument) -> Argument:
        """Return the quantized result of an operation. Raise EvaluationFailed."""
        if isinstance(tensor, Tensor):
            return self.apply(scope, tensor.name, value)
        if not isinstance(tensor, Pack) or value is None or isinstance(value, np.ndarray):
            return value
        items = tensor.items or tensors_of(tensor)[:1] * len(value)
        return tuple(self.result(scope, one, array) for one, array in zip(items, value, strict=True))  # type: ignore[misc]

    @property
    def tensors(self) -> tuple[QuantizedTensor, ...]:
        """All tensors that the definitions entered so far quantize, in the order of their texts."""
        return tuple(
            QuantizedTensor(name, self._shown(found), self._changes.get(name))
            for name, found in self._quantizations.items()
        )

    def _algorithm(self, found: Quantization) -> Template:
        template = self._session.template(found.operator)
        assert template is not None, "only operators that there are get into a graph"
        return template

    def _shown(self, found: Quantization) -> str:
        template = self._session.template(found.operator)
        return found.operator.shown if template is None else template.shown

    def _quantized(self, name: str, found: Quantization, array: Array) -> Array:
        # A result of control flow has the name of the tensor in a branch or iteration.
        if self._results.get((name, id(array))) is array:
            return array
        key = name, array.shape, array.dtype
        template = self._algorithm(found)
        ones = (1,) * missing_dimensions(template, found.attributes, array.ndim)
        argument = array.reshape(ones + array.shape)
        try:
            if key not in self._bound:
                self._bound[key] = bind_arrays(self._session, template, [argument], found.attributes, found.dtypes)
            result = self._run(self._bound[key], argument, name)
        except EvaluationFailed as failed:
            raise failed.via(Site(found.place, f"'{found.operator.shown}' quantizes '{name}' here")) from None
        if not isinstance(result, np.ndarray) or result.shape != argument.shape or result.dtype != array.dtype:
            message = f"'{found.operator.shown}' changes the type or shape of '{name}'"
            raise EvaluationFailed(rules.QUANTIZATION_ALGORITHM, message, found.place)
        result = result.reshape(array.shape)
        self._changes[name] = max(self._changes.get(name, 0.0), _change(array, result))
        self._results[name, id(result)] = result
        return result


def _change(before: Array, after: Array) -> float:
    if before.dtype.kind not in "fi" or not before.size:
        return 0.0
    return float(np.nan_to_num(np.abs(after.astype(np.float64) - before.astype(np.float64))).max())


def _joined(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name
