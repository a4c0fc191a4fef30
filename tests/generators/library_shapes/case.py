"""One invocation of an operator of the library, with arrays of the shapes that it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

DTYPES = {"f": "real", "i": "int", "b": "bool"}
"""The types of elements, by the kinds of NumPy."""


def literal(value: Any) -> str:
    """Return the text of a value."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else repr(value)


@dataclass(frozen=True)
class Upto:
    """A result with an extent that depends on the data: how many elements it may have, and which extents vary."""

    array: Any
    axis: int = 0


@dataclass(frozen=True)
class Case:
    """``expected`` is an array for each result, a list of them for a pack."""

    operator: str
    inputs: tuple[Any, ...]
    expected: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    generic: str = ""
    symbolic: bool = True
    """True if extents may be symbols, too: not where the number of results depends on them."""

    def __str__(self) -> str:
        given = ",".join(map(_label, self.inputs))
        attributes = ",".join(f"{key}={literal(value)}" for key, value in self.attributes.items())
        return f"{self.operator}{{{attributes}}}({given})".replace(" ", "")


def _label(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(_label, value))
    return "x".join(map(str, value.shape)) or "scalar" if isinstance(value, np.ndarray) else str(value)


def case(operator: str, inputs: Sequence[Any], *expected: Any, symbolic: bool = True, **attributes: Any) -> Case:
    return Case(operator, tuple(inputs), expected, attributes, symbolic=symbolic)


def real(*shape: int) -> Any:
    return np.zeros(shape)


def ints(*shape: int) -> Any:
    return np.zeros(shape, np.int64)


def bools(*shape: int) -> Any:
    return np.zeros(shape, bool)


SHAPES = ((), (5,), (2, 3), (2, 0, 3), (4, 1, 2, 3), (2, 3, 1, 2, 2))
