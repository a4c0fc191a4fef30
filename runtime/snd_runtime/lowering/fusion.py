"""Element-wise formulas of several operators, one after the other, as one row of operations.

Every tile goes through all of them while it is in the cache. Intermediate tensors never exist as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose.formulas import Slot
from snd_runtime.limits import Budget
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.accesses import Statement
from snd_runtime.lowering.compiled.calls import CompiledCall
from snd_runtime.lowering.compiled.kernels import Kernel
from snd_runtime.lowering.compiled.nests import kernel
from snd_runtime.lowering.direct import TILE, Direct, Instruction, Load, part, tiles


class FusedFormula(Struct, frozen=True):
    """A formula with a value for every element; ``tensors`` are the numbers of the tensors that it reads and writes."""

    direct: Direct
    tensors: Mapping[Slot, int]

    @property
    def result(self) -> int:
        """The number of the tensor that it writes."""
        return self.tensors[self.direct.slot]

    @property
    def sources(self) -> list[int | None]:
        """The number of the tensor that each of its values is loaded from."""
        return [None if load.slot is None else self.tensors[load.slot] for load in self.direct.loads]

    def statement(self, is_kept: bool) -> Statement:
        """Return it as one of a kernel; ``is_kept`` says whether anything but the kernel reads the result."""
        return Statement(self.direct.write, "=", self.direct.analysis, self.tensors.__getitem__, is_kept)

    def reads_elsewhere(self, tensors: Mapping[int, Any]) -> bool:
        """Return whether it reads elements of one of these tensors at another point than it writes."""
        loads = zip(self.direct.loads, self.sources, strict=True)
        return any(source in tensors and not load.is_whole for load, source in loads)


class Fused:
    """Formulas over the same points, in order; ``kept`` are the tensors that are read after them."""

    def __init__(self, members: Sequence[FusedFormula], kept: Sequence[int]) -> None:
        self._members = members
        self._kept = kept
        self._shape = members[0].direct.shape
        self._made = {member.result: member.direct.slot.dtype for member in members if member.result in kept}
        self._loads: list[tuple[Load, int | None]] = []
        self._instructions: list[Instruction] = []
        made = {member.result for member in members}
        first = sum(source not in made for member in members for source in member.sources)
        results: dict[int, int] = {}
        for member in members:
            numbers = []
            for load, source in zip(member.direct.loads, member.sources, strict=True):
                if source in results:
                    numbers.append(results[source])
                else:
                    numbers.append(len(self._loads))
                    self._loads.append((load, source))
            for each in member.direct.instructions:
                numbers.append(first + len(self._instructions))
                operands = tuple(numbers[operand] for operand in each.operands)
                self._instructions.append(replace(each, operands=operands))
            results[member.result] = numbers[-1]
        self._results = [results[member.result] for member in members if member.result in kept]
        self._places = [*self._placed()]
        self._buffers = max((place + 1 for place in self._places if place is not None), default=0) - len(self._results)

    def _placed(self) -> Iterator[int | None]:
        """Yield the target of each instruction: a result, a buffer (numbered after results), None for a new array."""
        is_plain = [load.dtype == "real" for load, _ in self._loads]
        is_wide = [load.is_whole for load, _ in self._loads]
        places: list[int | None] = [None] * len(self._loads)
        last = {operand: at for at, each in enumerate(self._instructions) for operand in each.operands}
        free: list[int] = []
        count = len(self._results)
        for at, each in enumerate(self._instructions):
            is_plain.append(isinstance(each.function, np.ufunc) and all(is_plain[operand] for operand in each.operands))
            is_wide.append(any(is_wide[operand] for operand in each.operands))
            for operand in {*each.operands}:
                place = places[operand]
                if last[operand] == at and place is not None and place >= len(self._results):
                    free.append(place)
            place = None
            if is_plain[-1] and is_wide[-1]:
                number = len(places)
                if number in self._results:
                    place = self._results.index(number)
                elif free:
                    place = free.pop()
                else:
                    place, count = count, count + 1
            places.append(place)
            yield place

    @cached_property
    def _kernel(self) -> Kernel | None:
        """Loops that are faster, once they are compiled."""
        return kernel([member.statement(member.result in self._kept) for member in self._members])

    def calls(self, real: np.dtype[Any]) -> list[CompiledCall] | None:
        """Return the calls that compute all of them, on contiguous tensors by number; None if it can't be compiled."""
        call = None if self._kernel is None else self._kernel.call(real)
        return None if call is None else [call]

    @property
    def slots(self) -> dict[int, Slot]:
        """Return the slot of each tensor, by number."""
        return {number: slot for member in self._members for slot, number in member.tensors.items()}

    def _compiled(self, arrays: Sequence[Array | None], dtypes: Mapping[str, np.dtype[Any]]) -> list[Array] | None:
        """Return the tensors that are kept; None if there are no compiled loops."""
        loops = self._kernel
        if loops is None:
            return None
        results = {number: np.empty(self._shape, dtypes[dtype]) for number, dtype in self._made.items()}
        found = [array for each in loops.tensors if (array := results.get(each, arrays[each])) is not None]
        return [*results.values()] if loops.run(found, dtypes["real"]) else None

    def run(
        self,
        arrays: Sequence[Array | None],
        dtypes: Mapping[str, np.dtype[Any]],
        budget: Budget,
        compiles: bool = False,
    ) -> list[Array]:
        """Return the tensors that are kept; ``arrays`` are by number."""
        compiled = self._compiled(arrays, dtypes) if compiles else None
        if compiled is not None:
            return compiled
        loaded = [load.value(None if source is None else arrays[source], dtypes) for load, source in self._loads]
        results = [np.empty(self._shape, dtypes[dtype]) for dtype in self._made.values()]
        size, most = prod(self._shape), min(TILE, budget.limits.chunk_elements)
        buffers = [np.empty(min(size, most), dtypes["real"]) for _ in range(self._buffers)]
        cut: Iterable[tuple[Any, ...]] = [(...,)] if size <= most else tiles(self._shape, most)
        for number, tile in enumerate(cut):
            if number % 64 == 0:
                budget.check_time(None)
            outs = [result[tile] for result in results]
            shape = outs[0].shape
            outs += [buffer[: outs[0].size].reshape(shape) for buffer in buffers]
            values = [part(value, tile) for value in loaded]
            for each, place in zip(self._instructions, self._places, strict=True):
                if place is None:
                    value = each.run(values, dtypes)
                    assert value is not None, "there is a value at every point"
                    values.append(value)
                else:
                    values.append(each.function(*[values[operand] for operand in each.operands], out=outs[place]))
            for out, result in zip(outs, self._results, strict=False):
                if values[result] is not out:
                    out[...] = values[result]
        return results
