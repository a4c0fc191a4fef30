"""The result of an evaluation, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field

from snd_analysis.compose import Failure
from snd_analysis.model import Place
from snd_runtime.evaluation.limits import MOST_SHOWN
from snd_runtime.execution import QuantizedTensor
from snd_runtime.lowering.lowered import Argument
from snd_runtime.summary import Summary, summarize

Array: TypeAlias = np.ndarray[Any, Any]


class ShownTensor(Struct, frozen=True):
    """Display data of a tensor: its statistics, and its elements if they are few.

    ``item`` is its position in a pack. ``summary`` is None for null, and for a pack without tensors: ``is_pack``.
    """

    name: str
    item: int | None = None
    summary: Summary | None = None
    values: Array | None = None
    is_pack: bool = False
    """True for a pack without tensors."""

    @property
    def label(self) -> str:
        """The name with the position."""
        return self.name if self.item is None else f"{self.name}[{self.item}]"


class ShownStep(Struct, frozen=True):
    """An intermediate tensor, or the tensors of a pack. ``iterations`` are the iterations of the loops around it."""

    tensors: tuple[ShownTensor, ...]
    place: Place | None = None
    iterations: tuple[int, ...] = ()


class Progress(Struct, frozen=True):
    """Number of completed operations, and of all operations."""

    done: int
    total: int


class EvaluationAnswer(Struct, frozen=True):
    """Outputs, or the failures instead of outputs. The seconds are spent on composing and on running."""

    outputs: tuple[ShownTensor, ...] = ()
    failures: tuple[Failure, ...] = ()
    inputs: tuple[ShownTensor, ...] = ()
    """Inputs that were drawn at random, because none were given."""
    drawn: tuple[str, ...] = ()
    """Variables without a given value, which were drawn."""
    unused: tuple[str, ...] = ()
    """Weights that no variable takes."""
    quantized: tuple[QuantizedTensor, ...] = ()
    """The tensors that ``@quantize`` names, whether or not quantization was applied."""
    suggestions: Mapping[str, str] = field(default_factory=dict)
    """For weights that no variable takes: a variable without a value that has the same shape and a similar name."""
    arrays: Mapping[str, Argument] | None = None
    variables: Mapping[str, Argument] | None = None
    notes: tuple[str, ...] = ()
    """Operations that another engine could not compute and snd did, with the reasons."""
    updated: tuple[str, ...] = ()
    """Variables that ``@update`` gave new values."""
    composing_seconds: float = 0.0
    running_seconds: float = 0.0


def shown(name: str, value: Argument) -> tuple[ShownTensor, ...]:
    """Return the shown form of a tensor, or of each tensor of a pack."""
    if value is None:
        return (ShownTensor(name),)
    if isinstance(value, np.ndarray):
        return (_shown(name, None, value),)
    return tuple(_shown_items(name, value)) or (ShownTensor(name, is_pack=True),)


def _shown_items(name: str, items: Any) -> Iterator[ShownTensor]:
    for at, item in enumerate(items):
        yield _shown(name, at, np.asarray(item))


def _shown(name: str, item: int | None, array: Array) -> ShownTensor:
    values = np.array(array) if array.size <= MOST_SHOWN else None
    return ShownTensor(name, item, summarize(array), values)
