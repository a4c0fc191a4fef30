"""The arguments of a composed sample as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from snd_analysis import rules
from snd_analysis.model import Tensor, TensorKind, TensorValue
from snd_analysis.symbolic.integers import TRUE, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.generators import Generator, generate, source_of
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import REAL_OVERFLOW
from snd_runtime.values import filled, numpy_dtype

Array: TypeAlias = np.ndarray[Any, Any]


class ArrayFactory:
    """Factory of arrays for tensors; ``generators`` are the generated inputs, by their names."""

    def __init__(self, generators: Mapping[str, str], seed: int, real: np.dtype[Any], budget: Budget) -> None:
        self._generators = generators
        self._seed = seed
        self._real = real
        self._budget = budget

    def array(self, value: TensorValue) -> Argument:
        """Return an array, a pack of them, or None for null. Raise EvaluationFailed for a value that is not known."""
        if value is NULL:
            return None
        if isinstance(value, Pack):
            return tuple(self._tensor(item) for item in _spread(value, lambda item: item))
        return self._tensor(value)

    def _tensor(self, value: object) -> Array:
        if not isinstance(value, Tensor) or value.shape is None or value.dtype is None:
            raise EvaluationFailed(rules.SAMPLE_FAILS, "an argument is not known")
        shape = tuple(_extent(extent) for extent in value.shape)
        if value.kind is TensorKind.CONSTANT:
            return self._constant(value, shape)
        generator = self._generators.get(value.name)
        if generator is None:
            raise EvaluationFailed(rules.SAMPLE_FAILS, f"nothing gives '{value.name}' a value")
        source = source_of(self._seed, value.name)
        try:
            return generate(Generator(generator, shape), value.dtype, source, real=self._real, budget=self._budget)
        except ValueError as error:
            raise EvaluationFailed(rules.SAMPLE_FAILS, str(error)) from None

    def _constant(self, tensor: Tensor, shape: tuple[int, ...]) -> Array:
        assert tensor.dtype is not None
        dtype = numpy_dtype(tensor.dtype, self._real)
        self._budget.allocate("a constant", shape, dtype.itemsize, tensor.place)
        value = UNDEFINED if tensor.value is None else tensor.value
        items = [*_spread(value, plain)] if isinstance(value, Pack) else [plain(value)]
        try:
            array = filled(items, dtype)
        except ValueError as error:
            overflow = rules.INT_OVERFLOW if tensor.dtype == "int" else REAL_OVERFLOW
            raise EvaluationFailed(overflow, str(error), tensor.place) from None
        return array.reshape(shape) if isinstance(value, Pack) else np.full(shape, array[0], dtype)


def _spread(pack: Pack, of: Callable[[Value], Any]) -> Iterator[Any]:
    for segment in pack.segments:
        if isinstance(segment, ItemRun):
            item = of(segment.element)
            yield from (item for _ in range(_extent(segment.length)))
        else:
            yield of(segment)


def _extent(extent: object) -> int:
    number = extent.value if isinstance(extent, Integer) else None
    if number is None:
        raise EvaluationFailed(rules.SAMPLE_FAILS, f"the extent '{extent}' of an argument is not known")
    return number


def plain(value: Value) -> int | float | bool | str:
    """Return a single known value as a Python value."""
    match value:
        case Integer() if value.value is not None:
            return value.value
        case Truth():
            return value is TRUE
        case float() | str():
            return value
    raise EvaluationFailed(rules.SAMPLE_FAILS, f"the value '{value}' of an argument is not known")
