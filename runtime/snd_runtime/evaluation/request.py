"""The request for an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field

from snd_analysis.base import NO_SETTINGS, ProjectSettings
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from snd_runtime.generators import Generator
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import VARIABLE_VALUE
from snd_runtime.values import PlainValue, dtype_name

Array: TypeAlias = np.ndarray[Any, Any]


class StoredArray(Struct, frozen=True):
    """An array within a file, mapped into memory on use: it is copied nowhere."""

    path: str
    offset: int
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """The number of bytes of its elements."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize

    def array(self) -> Array:
        """Return the array, which can't be written to.

        Raise OSError if the file is gone, and ValueError if it has become shorter.
        """
        return np.memmap(self.path, self.dtype, "r", self.offset, self.shape).view(np.ndarray)


class LiteralInput(Struct, frozen=True):
    """A number, bool or string, or nested lists of them: the type of the input determines the tensor."""

    value: Any


InputValue: TypeAlias = "Array | Generator | LiteralInput | tuple[InputValue, ...] | Mapping[int, InputValue] | None"
"""A tensor, how to make it, or null; of a pack all tensors, or some of them by position."""


class Texts(Struct, frozen=True):
    """The files of a model that an evaluation may need, or their changes.

    ``changed`` are texts by path, ``gone`` are paths that count no longer; ``existing`` are all paths of files, needed
    or not: they decide where modules are found.
    """

    changed: Mapping[str, str]
    existing: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    settings: ProjectSettings = NO_SETTINGS


class EvaluationRequest(Struct, frozen=True):
    """A graph or operator, and its arguments.

    Attributes and types that are not given have their defaults; inputs that are not given and have none are random, of
    the smallest shape that the declarations allow; variables (``weights``, by scoped name) are drawn.
    """

    name: OperatorName
    attributes: Mapping[str, PlainValue] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, InputValue] = field(default_factory=dict)
    weights: Mapping[str, Array | StoredArray | tuple[Array, ...]] = field(default_factory=dict)
    seed: int = 0
    double: bool = False
    """True if reals have 64 bits, not 32."""
    limits: Limits = field(default_factory=Limits)
    quantize: bool = False
    """True if to apply the operators of ``@quantize``."""
    trace: bool = False
    """True to report every tensor as soon as it is computed."""
    keep: bool = False
    """True if the answer contains complete outputs, not only their shown form."""
    steps: int = 1
    """Number of runs with the same inputs. Variables keep the values of ``@update`` from run to run."""
    strict: bool = False
    """True to refuse a run unless every variable has a weight and every weight a variable."""
    keep_variables: bool = False
    """True if the answer holds the variables as the last run left them."""


def weight_arrays(request: EvaluationRequest) -> dict[str, Argument]:
    """Return the weights of a request as arrays. Raise EvaluationFailed if one lies in a file that has changed."""
    try:
        return {
            name: value.array() if isinstance(value, StoredArray) else value for name, value in request.weights.items()
        }
    except (OSError, ValueError) as error:
        raise EvaluationFailed(VARIABLE_VALUE, f"the file of the weights can't be read anymore: {error}") from None


class WorkOrder(Struct, frozen=True):
    """A message to the worker: changed texts, and the work to do."""

    texts: Texts
    request: EvaluationRequest


def dtype_of_input(value: InputValue) -> str | None:
    """Return the element type of a given value, real if reals and ints are mixed; None if it does not tell."""
    match value:
        case np.ndarray():
            return dtype_name(value)
        case LiteralInput():
            found = {type(item) for item in _flat(value.value)}
            names: dict[type, str] = {float: "real", int: "int", bool: "bool", str: "str"}
            return next((name for kind, name in names.items() if kind in found), None)
        case Mapping():
            return dtype_of_input(tuple(value.values()))
        case tuple():
            return next(filter(None, map(dtype_of_input, value)), None)
    return None


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value
