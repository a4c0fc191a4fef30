"""The invocation of an intrinsic: its arguments, and its access to time and memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.base import Rule
from snd_analysis.model import Place
from snd_runtime.errors import EvaluationFailed
from snd_runtime.limits import Budget
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.values import PlainValue

Extents: TypeAlias = "tuple[int | None, ...]"
"""A shape; None is an extent that the intrinsic decides."""


class BoundIntrinsic(Struct, frozen=True):
    """An operator bound to arrays; its assertions hold, and its inputs have the shapes that it declares.

    ``attributes`` has all of them, defaults included; ``dtypes`` has the generic types by name. Arrays are int64, bool
    or of the type ``real``, which is float32 or float64, and not to be written to.
    """

    attributes: Mapping[str, PlainValue]
    dtypes: Mapping[str, str]
    inputs: tuple[Argument, ...]
    output_shapes: tuple[Extents | tuple[Extents, ...] | None, ...]
    real: np.dtype[Any]
    generator: np.random.Generator
    budget: Budget
    place: Place | None

    def tensor(self, number: int) -> Array:
        """Return an input that is a single tensor."""
        value = self.inputs[number]
        assert isinstance(value, np.ndarray), f"input {number} is not a single tensor"
        return value

    def integer(self, name: str) -> int:
        """Return an attribute of type int."""
        value = self.attributes[name]
        assert isinstance(value, int), f"'{name}' is not an int: {value!r}"
        return value

    def number(self, name: str) -> float:
        """Return an attribute of type real."""
        value = self.attributes[name]
        assert isinstance(value, int | float), f"'{name}' is not a number: {value!r}"
        return float(value)

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an attribute that is a pack of ints."""
        value = self.attributes[name]
        assert isinstance(value, tuple), f"'{name}' is not a pack: {value!r}"
        return tuple(item for item in value if isinstance(item, int))

    def claim(self, what: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        """Take the memory of an array from the budget. Raise EvaluationFailed if it has not enough."""
        self.budget.allocate(what, shape, dtype.itemsize, self.place)

    def failed(self, rule: Rule, message: str) -> EvaluationFailed:
        """Return a failure at the invocation."""
        return EvaluationFailed(rule, message, self.place)


Intrinsic: TypeAlias = "Callable[[BoundIntrinsic], tuple[Argument, ...]]"
"""A function from an invocation to its outputs, in order. It may raise EvaluationFailed."""
