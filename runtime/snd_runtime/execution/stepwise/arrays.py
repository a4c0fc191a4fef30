"""Arrays of the tensors of a body during a run."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from snd_analysis import rules
from snd_analysis.model import Place, Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.symbolic.values import NULL, Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.plain import array_dtype, fits, plain, static_shape
from snd_runtime.execution.state import State
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import UNKNOWN_VALUE


class Arrays:
    """The array of each known tensor; in loops the arrays of an iteration are apart, to be dropped with it."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._known: ChainMap[Tensor, Array] = ChainMap()
        self._counted: set[Tensor] = set()
        """The results that take part of the budget."""

    @property
    def known(self) -> Mapping[Tensor, Array]:
        """The arrays of all tensors."""
        return self._known

    def let(self, tensor: Value, value: Argument) -> None:
        """Store the array of a tensor, or the arrays of a pack."""
        if isinstance(tensor, Tensor):
            assert isinstance(value, np.ndarray)
            self._known[tensor] = value
        elif isinstance(tensor, Pack) and value is not None:
            for one, array in zip(tensor.items or (), value, strict=True):
                self.let(one, array)

    def argument(self, value: Value, place: Place | None) -> Argument:
        """Return the value of a tensor or pack. Raise EvaluationFailed if it is unknown."""
        if value is NULL:
            return None
        if isinstance(value, Pack) and value.items is not None:
            return tuple(self.array(item, place) for item in value.items)
        return self.array(value, place)

    def array(self, value: Value, place: Place | None) -> Array:
        """Return the array of a tensor. Raise EvaluationFailed if it is unknown."""
        if isinstance(value, Tensor):
            known = self._known.get(value)
            if known is None and value.kind is TensorKind.CONSTANT:
                known = self._known[value] = self._constant(value, place)
            if known is not None:
                return known
        raise EvaluationFailed(UNKNOWN_VALUE, "the value of this is not known", place)

    def _constant(self, tensor: Tensor, place: Place | None) -> Array:
        shape = static_shape(tensor)
        try:
            value = plain(tensor.value)
        except ValueError:
            value = None
        if value is None or shape is None or tensor.dtype is None:
            raise EvaluationFailed(UNKNOWN_VALUE, "the value of a constant is not known", place)
        if not fits(value):
            raise EvaluationFailed(rules.INT_OVERFLOW, rules.formulas.too_wide(value), place)
        dtype = array_dtype(tensor.dtype, self._state.real)
        self._state.budget.allocate(f"'{tensor.name}'", shape, dtype.itemsize, place)
        return np.full(shape, value, dtype)

    # ---- the budget --------------------------------------------------------------------------------------------------
    def count(self, value: TensorValue) -> None:
        """Count the memory of a result against the budget until it is freed."""
        self._counted.update(tensors_of(value))

    def counted(self, values: Iterable[Value]) -> set[Tensor]:
        """Return the tensors in values that take part of the budget."""
        return {tensor for value in values for tensor in tensors_of(value) if tensor in self._counted}

    def bytes_of(self, tensors: Iterable[Tensor]) -> int:
        """Return how much memory their arrays have."""
        return sum(self._known[tensor].nbytes for tensor in tensors)

    def free(self, tensors: Collection[Tensor]) -> None:
        """Forget tensors that take part of the budget."""
        for tensor in tensors:
            array = self._known.pop(tensor)
            self._counted.discard(tensor)
            self._state.budget.release(array.size, array.itemsize)

    # ---- iterations --------------------------------------------------------------------------------------------------
    def enter(self) -> None:
        """Begin an iteration of a loop."""
        self._known = self._known.new_child()

    def leave(self, kept: Sequence[TensorValue], place: Place) -> None:
        """End the iteration, and drop its tensors except carried and collected ones.

        Raise EvaluationFailed if the value of one of these is unknown.
        """
        arrays = [self.argument(value, place) for value in kept]
        self._counted.difference_update(self._known.maps[0])
        self._known = self._known.parents
        for value, array in zip(kept, arrays, strict=True):
            self.let(value, array)
