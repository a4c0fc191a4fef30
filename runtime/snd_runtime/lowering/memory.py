"""The arrays of one run."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from snd_analysis.compose.formulas import Slot
from snd_analysis.model import Place
from snd_runtime.errors import EvaluationFailed
from snd_runtime.limits import Budget
from snd_runtime.lowering.arithmetic import BOOL, INT, STR, Array
from snd_runtime.rules import UNKNOWN_VALUE


@cache
def array_types(real: np.dtype[Any]) -> dict[str, np.dtype[Any]]:
    """Return the types of arrays by element type."""
    return {"int": INT, "real": real, "bool": BOOL, "str": STR}


class Memory:
    """The arrays of tensors by slot. Reals have the type ``real``, float32 or float64."""

    def __init__(self, real: np.dtype[Any], budget: Budget, compiles: bool = False) -> None:
        self.compiles = compiles
        """True if formulas are worth compiling, since they run again and again."""
        self.dtypes = array_types(real)
        self.budget = budget
        self._arrays: dict[Slot, Array] = {}

    def set(self, slot: Slot, array: Array) -> None:
        """Let a slot have this array."""
        self._arrays[slot] = array

    def has(self, slot: Slot) -> bool:
        """Return whether the slot has an array."""
        return slot in self._arrays

    def array(self, slot: Slot, place: Place | None = None) -> Array:
        """Return the array of a slot; tensors of a pack are put together when they are first read as one."""
        known = self._arrays.get(slot)
        if known is not None:
            return known
        if not slot.items:
            raise EvaluationFailed(UNKNOWN_VALUE, f"'{slot.name}' has no values yet", place)
        items = [self.array(item, place) for item in slot.items]
        made = self.allocate(slot, (len(items), *items[0].shape), place)
        np.stack(items, out=made)
        return made

    def claim(self, slot: Slot, shape: tuple[int, ...], place: Place | None) -> None:
        """Take the memory of a slot's array, which is given to it later, from the budget. Raise EvaluationFailed."""
        self.budget.allocate(f"'{slot.name}'", shape, self.dtypes[slot.dtype].itemsize, place)

    def allocate(self, slot: Slot, shape: tuple[int, ...], place: Place | None) -> Array:
        """Return a new array for a slot, of default values. Raise EvaluationFailed if it would be too large."""
        self.claim(slot, shape, place)
        return self.make(slot, shape)

    def make(self, slot: Slot, shape: tuple[int, ...]) -> Array:
        """Return a new array for a slot whose memory is claimed already, of default values."""
        dtype = self.dtypes[slot.dtype]
        made = np.full(shape, "", dtype) if dtype == STR else np.zeros(shape, dtype)
        self._arrays[slot] = made
        for at, item in enumerate(slot.items):
            self._arrays.setdefault(item, made[at, ...])
        return made
