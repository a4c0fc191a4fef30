"""Conditions on elements, and the messages of their violations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.conditions.rounding import rounded
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import UNPREDICTABLE
from snd_runtime.values import PlainValue


class OperatorRun(Struct, frozen=True):
    """One run of an operator: its attributes and tensors by name. Before the run, there are no outputs."""

    attributes: Mapping[str, PlainValue]
    tensors: Mapping[str, Argument]

    def tensor(self, name: str) -> Array:
        """Return a tensor that is no pack."""
        found = self.tensors[name]
        assert isinstance(found, np.ndarray)
        return found

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Yield the tensors by name, items of a pack with their positions. Null has none."""
        for name, value in self.tensors.items():
            if isinstance(value, np.ndarray):
                yield name, value
            elif value is not None:
                yield from ((f"{name}[{at}]", each) for at, each in enumerate(value))

    def text(self, name: str) -> str:
        """Return an attribute that is a string."""
        return str(self.attributes[name])

    def number(self, name: str) -> int:
        """Return an attribute that is an int."""
        found = self.attributes[name]
        assert isinstance(found, int)
        return found

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return an attribute that is a pack of ints."""
        found = self.attributes[name]
        assert isinstance(found, tuple)
        return tuple(each for each in found if isinstance(each, int))


class Violation(Struct, frozen=True):
    """The first element that breaks a condition: where it is, its value, and which condition that breaks."""

    tensor: str
    index: tuple[int, ...]
    value: int
    demanded: str

    @property
    def message(self) -> str:
        """The violation in one line."""
        place = f"{self.tensor}[{','.join(map(str, self.index))}]" if self.index else self.tensor
        return f"{place} is {self.value}, but {self.demanded}"


Check: TypeAlias = Callable[[OperatorRun], Violation | None]


class Conditions(Struct, frozen=True):
    """The checks before and after an operator computes its results."""

    before: tuple[Check, ...] = ()
    after: tuple[Check, ...] = ()
    storage: str | None = None
    """The attribute that says in which type results are stored, which rounds reals."""


def stored(conditions: Conditions, call: OperatorRun, outputs: Sequence[Argument]) -> Sequence[Argument]:
    """Return the results of an operator as their type stores them."""
    storage = call.attributes.get(conditions.storage or "")
    if storage not in ("fp16_t", "bf16_t"):
        return outputs
    source = call.tensors.get("input")
    if conditions.storage == "out_t" and isinstance(source, np.ndarray) and source.dtype.kind in "ib":
        outputs = (source,)  # a cast rounds once, from the int
    return tuple(
        rounded(each, str(storage)) if isinstance(each, np.ndarray) and each.dtype.kind in "fib" else each
        for each in outputs
    )


def demand(name: OperatorName, checks: Sequence[Check], call: OperatorRun) -> None:
    """Raise EvaluationFailed for the first violation, if there is one."""
    for check in checks:
        violation = check(call)
        if violation is not None:
            operator = f"{name.path.rpartition(':')[2]}.{name.name}"
            raise EvaluationFailed(UNPREDICTABLE, f"'{operator}' is unpredictable: {violation.message}")


def first_where(mask: Array, values: Array, tensor: str, demanded: str) -> Violation | None:
    """Return the first element that breaks a condition, as a mask marks them; None if there is none."""
    if not mask.any():
        return None
    index = tuple(int(at) for at in np.argwhere(mask)[0])
    return Violation(tensor, index, int(np.broadcast_to(values, mask.shape)[index]), demanded)


def outside(values: Array, least: int, most: int, tensor: str, demanded: str) -> Violation | None:
    """Return the first element that is not in a range of ints."""
    if values.dtype.kind != "i" or not values.size:
        return None
    if values.min() >= least and values.max() <= most:
        return None
    return first_where((values < least) | (values > most), values, tensor, demanded)
