"""Steps that run one after the other in machine code, in memory that every run uses again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import ref

import numpy as np
from msgspec import Struct

from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.flat.entry import Entries, Entry
from snd_runtime.execution.program import (
    Frame,
    Reference,
    slots_of,
)
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import ALIGNED, Buffers, CompiledCalls, Scratch
from snd_runtime.lowering.compiled.kernels import Worth
from snd_runtime.lowering.memory import array_types

if TYPE_CHECKING:
    pass

from snd_runtime.execution.flat.compilable import CompilableStep


class CompiledSteps:
    """Steps that run without Python between them, once they are compiled."""

    def __init__(self, group: Sequence[CompilableStep], real: np.dtype[Any], buffers: Buffers) -> None:
        self._steps = tuple(each.step for each in group)
        self._entries = Entries([each.step.action for each in group if isinstance(each.step.action, Entry)])
        self._calls = [call for each in group for call in each.calls]
        self._weight = sum(step.weight for step in self._steps)
        self._worth = Worth(self._calls)
        self._ready: CompiledCalls | None = None
        dtypes = array_types(real)
        self.kinds = {
            number: (tuple(extent or 0 for extent in slot.shape), dtypes[slot.dtype])
            for each in group
            for number, slot in each.tensors.items()
        }
        made = {slot for step in self._steps for result in step.results for slot in slots_of([result.slots])}
        freed = {slot for step in self._steps for slot in step.free}
        used = {key for call in self._calls for key in call.places()}
        self.given = sorted({key for key in used if isinstance(key, int)} - made)
        self.results = sorted(made - freed)
        self._freed = sorted(freed - made)
        inner = self._lifetimes({key for key in used if not isinstance(key, int) or key in made & freed})
        offsets, self._size = _placed(inner)
        self._offsets = np.array([*offsets.values()], np.int64)
        self._numbers = {key: at for at, key in enumerate((*self.given, *self.results, *offsets))}
        self._kept = sum(map(self._bytes, self.results))
        self._largest = max((prod(shape) for shape, _ in self.kinds.values()), default=0)
        self._buffers = buffers
        self._known: tuple[Sequence[_Known], Array] = (
            [_nothing] * len(self.given),
            np.zeros(len(self.given), np.int64),
        )

    def run(self, frame: Frame) -> None:
        """Run the steps. Raise EvaluationFailed."""
        done = frame.state.done
        if self._is_computed(frame):
            frame.state.advance(done + self._weight)
            return
        for step in self._steps:  # they report the failure
            step.run(frame)

    def _is_computed(self, frame: Frame) -> bool:
        """Return whether the calls have done it."""
        budget = frame.state.budget
        budget.check_time(self._steps[0].place)
        if not budget.allows(self._size + self._kept, self._largest):
            return False
        if self._ready is None:
            if not self._worth.is_reached():
                return False
            try:
                self._ready = CompiledCalls(self._calls, self._numbers)
            except ImportError:
                self._worth.give_up()
                return False
        used = budget.used
        try:
            self._entries.enter(frame)
        except EvaluationFailed:
            return False
        given = self._arrays(frame)  # they must live until the calls end
        results = self.made_of(given.addresses)
        if results is None:
            return False
        for slot, array in zip(self.results, results, strict=True):
            frame.arrays[slot] = array
        budget.settle(used + self._kept)
        frame.free(self._freed)
        return True

    def made_of(self, given: Array) -> list[Array] | None:
        """Return the results of arrays at these addresses; None if there is none to be trusted."""
        assert self._ready is not None
        results = [np.empty(*self.kinds[slot]) for slot in self.results]
        buffer = self._buffers.take(self._size)
        outer = np.array([each.__array_interface__["data"][0] for each in results], np.int64)
        is_done = self._ready.run(np.concatenate([given, outer, self._offsets + buffer.start]))
        self._buffers.give(buffer)
        return results if is_done else None

    @property
    def variables(self) -> dict[Reference, str]:
        """The names of the variables of operators around the steps, by slot, where the run has no scope."""
        return self._entries.names("")

    def last_given(self) -> Given | None:
        """Return the inputs of the last run; None if the steps are not compiled, or an input is gone."""
        known, addresses = self._known
        arrays = [array for each in known if (array := each()) is not None]
        return Given(addresses, arrays) if self._ready is not None and len(arrays) == len(known) else None

    def _arrays(self, frame: Frame) -> Given:
        """Return the inputs of the calls in the form they need."""
        known, addresses = self._known
        arrays = [frame.arrays[slot] for slot in self.given]
        changed = [at for at, (one, array) in enumerate(zip(known, arrays, strict=True)) if one() is not array]
        if not changed:
            return Given(addresses, ())
        addresses, copies, now = addresses.copy(), [], [*known]
        for at in changed:
            array, (shape, dtype) = arrays[at], self.kinds[self.given[at]]
            assert array is not None, "a tensor is read before it is computed"
            assert array.shape == shape, "a tensor has another shape"
            suitable = np.require(array, dtype, ("C", "A"))
            now[at] = ref(array) if suitable is array else _nothing
            copies.append(suitable)
            addresses[at] = suitable.ctypes.data
        self._known = now, addresses
        return Given(addresses, copies)

    def _lifetimes(self, keys: set[Hashable]) -> dict[Hashable, _Lifetime]:
        """Return from which call to which one these are used, in order of the first one."""
        found: dict[Hashable, _Lifetime] = {}
        for at, call in enumerate(self._calls):
            for key in call.places():
                if key in keys:
                    first = found[key].first if key in found else at
                    found[key] = _Lifetime(first, at, self._bytes(key))
        return found

    def _bytes(self, key: Hashable) -> int:
        if isinstance(key, Scratch):
            return key.bytes
        assert isinstance(key, int)
        shape, dtype = self.kinds[key]
        return prod(shape) * dtype.itemsize


class Given(Struct, frozen=True):
    """Addresses of arrays, with the arrays that only this object keeps alive."""

    addresses: Array
    arrays: Sequence[Array]


_Known: TypeAlias = "Callable[[], Array | None]"
"""An array whose address is known, as long as there is one."""


def _nothing() -> None:
    return None


class _Lifetime(Struct, frozen=True):
    first: int
    last: int
    bytes: int


def _placed(lifetimes: Mapping[Hashable, _Lifetime]) -> tuple[dict[Hashable, int], int]:
    """Return offsets in a buffer that keep simultaneously used items apart, and its size."""
    offsets: dict[Hashable, int] = {}
    pieces: list[tuple[int, int, int]] = []  # start, size, after which call it is free
    size = 0
    for key, life in lifetimes.items():
        free = [piece for piece in pieces if piece[2] < life.first and piece[1] >= life.bytes]
        if free:
            start, length, _ = best = min(free, key=lambda piece: piece[1])
            pieces.remove(best)
        else:
            start, length = size, life.bytes + -life.bytes % ALIGNED
            size += length
        offsets[key] = start
        pieces.append((start, length, life.last))
    return offsets, size
