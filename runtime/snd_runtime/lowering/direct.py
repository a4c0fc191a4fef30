"""Formulas as a sequence of operations on whole arrays, prepared once: a run analyses nothing.

Large arrays are computed tile by tile: each tile goes through all operations while it is in the cache. This covers
plain assignments whose indices are affine and within bounds. A failure at single points, such as an overflow, is only
detected; the formula is then evaluated the general way, which reports the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.compose.formulas import (
    INT_MAX,
    INT_MIN,
    AffineIndex,
    Analysis,
    Apply,
    AxisPosition,
    Constant,
    Formula,
    IndexTerm,
    Read,
    Slot,
    Term,
    Write,
    colliding_axes,
)
from snd_runtime.lowering.arithmetic import (
    COMPARISONS,
    INTEGER_OPERATIONS,
    LOGIC,
    REAL_OPERATIONS,
    UNCHECKED,
    Array,
    cast,
)
from snd_runtime.lowering.compiled.accesses import Statement
from snd_runtime.lowering.compiled.kernels import Kernel
from snd_runtime.lowering.compiled.nests import kernel
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.reading import strided

View: TypeAlias = "Callable[[Array], Array]"

TILE = 1 << 15
"""Number of elements in a tile."""


class Load(Struct, frozen=True):
    """A value for all points, with extents of 1 where it does not vary: elements of a tensor, or a scalar in it."""

    value: Callable[[Any, Mapping[str, np.dtype[Any]]], Array]
    """A function from the array of the tensor, and the types of arrays by element type."""
    slot: Slot | None = None
    is_whole: bool = False
    """True if it is every element of the tensor, at the position of its axes."""
    dtype: str = ""


class Instruction(Struct, frozen=True):
    """An operation on the values with the numbers ``operands``; its result has the next number."""

    function: Callable[..., Any]
    operands: tuple[int, ...]
    is_checked: bool
    """True if the function says, too, where it has no value."""
    dtype: str | None = None
    """Type of a cast, passed as the last argument of the function; None for other operations."""

    def run(self, values: Sequence[Array], dtypes: Mapping[str, np.dtype[Any]]) -> Array | None:
        """Return the next value; None if there is a point without one."""
        given: list[Any] = [values[number] for number in self.operands]
        if self.dtype is not None:
            given.append(dtypes[self.dtype])
        if not self.is_checked:
            return np.asarray(self.function(*given))
        result, problem = self.function(*given)
        return None if problem is not None and np.any(problem[2]) else np.asarray(result)


class Direct:
    """A formula that assigns the value of one term to elements of one tensor."""

    def __init__(
        self,
        write: Write,
        analysis: Analysis,
        shape: tuple[int, ...],
        target: View | None,
        loads: list[Load],
        rows: list[Instruction],
    ) -> None:
        self.write = write
        self.analysis = analysis
        self.slot = write.slot
        self.size = prod(shape)
        self.is_whole = target is None
        """True if it writes every element of the tensor, at the position of its axes."""
        self.shape = shape
        self.loads = tuple(loads)
        self.instructions = tuple(rows)
        self._target = target

    @cached_property
    def kernel(self) -> Kernel | None:
        """The same as loops, which are faster once they are compiled."""
        return kernel([Statement(self.write, "=", self.analysis, lambda slot: slot)])

    @property
    def is_total(self) -> bool:
        """Return whether there is a value at every point."""
        return not any(each.is_checked for each in self.instructions)

    def run(self, memory: Memory) -> bool:
        """Run the formula; false if it must be evaluated the general way, since there may be something to report."""
        values = [
            load.value(None if load.slot is None else memory.array(load.slot), memory.dtypes) for load in self.loads
        ]
        most = min(TILE, memory.budget.limits.chunk_elements)
        if self.size <= most or not self.instructions:
            result = self._result(values, memory)
            if result is not None:
                self._store(memory, result)
            return result is not None
        target = self._array(memory)
        for number, tile in enumerate(tiles(self.shape, most)):
            if number % 64 == 0:
                memory.budget.check_time(None)
            result = self._result([part(value, tile) for value in values], memory)
            if result is None:
                return False
            target[tile] = result
        if self._target is None:
            memory.set(self.slot, target)
        return True

    def _result(self, loaded: list[Array], memory: Memory) -> Array | None:
        """Return the values of the last instruction, over all points or a tile of them."""
        values = loaded
        for instruction in self.instructions:
            value = instruction.run(values, memory.dtypes)
            if value is None:
                return None
            values.append(value)
        return values[-1]

    def _array(self, memory: Memory) -> Array:
        """Return where the results go."""
        if self._target is not None:
            return self._target(memory.array(self.slot))
        if memory.has(self.slot):  # it may be a part of a larger array
            return memory.array(self.slot)
        return np.empty(self.shape, memory.dtypes[self.slot.dtype])

    def _store(self, memory: Memory, result: Array) -> None:
        is_new = self._target is None and not memory.has(self.slot)
        is_made = bool(self.instructions) and result.flags.c_contiguous
        if is_new and is_made and result.shape == self.shape and result.dtype == memory.dtypes[self.slot.dtype]:
            memory.set(self.slot, result)
            return
        target = self._array(memory)
        target[...] = result
        if is_new:
            memory.set(self.slot, target)


def tiles(shape: tuple[int, ...], most: int) -> Iterator[tuple[slice, ...]]:
    """Yield indices of parts of a shape, of at most so many elements, in order; the first dimensions are kept."""
    axis, rest = 0, prod(shape[1:])
    while rest > most:
        axis += 1
        rest //= shape[axis]
    step = max(most // max(rest, 1), 1)
    for first in np.ndindex(*shape[:axis]):
        head = tuple(slice(at, at + 1) for at in first)
        for start in range(0, shape[axis], step):
            yield (*head, slice(start, start + step))


def part(value: Array, tile: tuple[Any, ...]) -> Array:
    """Return the elements of a tile. Dimensions of extent 1 are kept whole, for broadcasting."""
    if not value.ndim:
        return value
    return value[tuple(each if extent > 1 else _ALL for each, extent in zip(tile, value.shape, strict=False))]


_ALL = slice(None)


def direct(formula: Formula, analysis: Analysis) -> Direct | None:
    """Return the formula as operations on whole arrays, where its axes have these extents; None if it can't be."""
    if formula.operator not in ("=", ":=") or len(formula.writes) != 1 or formula.condition is not None:
        return None
    write = formula.writes[0]
    slot = write.slot
    box = Box(tuple((0, extent) for extent in analysis.extents))
    if None in slot.shape or box.size == 0:
        return None
    forms = _forms(analysis, write.places, slot, box)
    lengths = {axis: extent for axis, extent in enumerate(analysis.extents) if extent > 1}
    if forms is None or colliding_axes(forms, lengths):
        return None
    rows = _Rows(analysis, box)
    if not rows.add(write.value):
        return None
    # The tensors of a pack that is written as one are parts of its array, which is there already.
    target = None if _is_whole(forms, slot, box) and not slot.items else _view(forms, slot.shape, box)
    return Direct(write, analysis, box.shape, target, rows.loads, rows.instructions)


def _is_whole(forms: Sequence[AffineIndex], slot: Slot, box: Box) -> bool:
    """Return whether the points of a box are the elements of a tensor, in their order."""
    return slot.shape == box.shape and all(
        form == AffineIndex(0, {at: 1}) or (box.shape[at] == 1 and form.over(box.ranges) == (0, 0))
        for at, form in enumerate(forms)
    )


def _forms(analysis: Analysis, places: Sequence[IndexTerm], slot: Slot, box: Box) -> tuple[AffineIndex, ...] | None:
    """Return the affine forms of indices that are within bounds everywhere."""
    found = []
    for place, extent in zip(places, slot.shape, strict=True):
        form = analysis.affine(place.index)
        if form is None or extent is None:
            return None
        low, high = form.over(box.ranges)
        if low < 0 or high >= extent:
            return None
        found.append(form)
    return tuple(found)


def _view(forms: Sequence[AffineIndex], shape: Sequence[int | None], box: Box) -> View:
    """Return the elements at affine indices, with a dimension for each axis of the box."""
    axes = [next(iter(form.factors)) for form in forms if len(form.factors) == 1]
    plain = all(not form.factors or (form.constant == 0 and [*form.factors.values()] == [1]) for form in forms)
    if not plain or len(set(axes)) != len(axes):
        return lambda array: strided(array, forms, box)
    # Each dimension is an axis of its own, or a single position, as NumPy's indexing can express.
    first: list[Any] = [slice(0, box.shape[_axis(form)]) if form.factors else form.constant for form in forms]
    is_all = all(form.factors and shape[at] == box.shape[_axis(form)] for at, form in enumerate(forms))
    order = sorted(range(len(axes)), key=axes.__getitem__)
    last: list[Any] = [slice(None) if axis in axes else None for axis in range(len(box.ranges))]
    if is_all and order == [*range(len(box.ranges))]:
        return lambda array: array
    start, end, is_ordered = (*first, ...), (*last, ...), order == sorted(order)

    def view(array: Array) -> Array:
        found = array if is_all else array[start]
        turned: Array = (found if is_ordered else found.transpose(order))[end]
        return turned

    return view


def _axis(form: AffineIndex) -> int:
    return next(iter(form.factors))


class _Rows:
    """Loaded values, and instructions in the order of their operands.

    Loaded values have the first numbers, results of instructions the next ones.
    """

    def __init__(self, analysis: Analysis, box: Box) -> None:
        self._analysis = analysis
        self._box = box
        self._numbers: dict[Term, int | None] = {}
        self.loads: list[Load] = []
        self.instructions: list[Instruction] = []

    def add(self, term: Term) -> bool:
        """Make the instructions of a term that must be the last; false if it can't be computed so."""
        seen: set[Term] = set()
        pending = [term]
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            if isinstance(each, Apply):
                pending += each.operands
                continue
            load = self._load(each)
            if load is None:
                return False
            self._numbers[each] = len(self.loads)
            self.loads.append(load)
        return self._number(term) is not None

    def _number(self, term: Term) -> int | None:
        """Return the number of the value of a term; None if it can't be computed so."""
        if term not in self._numbers:
            made = self._made(term)
            if made is None:
                self._numbers[term] = None
            else:
                self._numbers[term] = len(self.loads) + len(self.instructions)
                self.instructions.append(made)
        return self._numbers[term]

    def _made(self, term: Term) -> Instruction | None:
        if not isinstance(term, Apply):
            return None
        numbers = [self._number(operand) for operand in term.operands]
        known = [number for number in numbers if number is not None]
        return self._applied(term, known) if len(known) == len(numbers) else None

    def _load(self, term: Term) -> Load | None:
        match term:
            case Constant():
                value, dtype = term.value, term.dtype
                return Load(lambda _, dtypes: np.asarray(value, dtypes[dtype]), dtype=dtype)
            case AxisPosition():
                positions = self._box.positions(term.axis)
                return Load(lambda _, dtypes: positions)
            case Read():
                return self._read(term)
        return None

    def _read(self, term: Read) -> Load | None:
        forms = _forms(self._analysis, term.places, term.slot, self._box)
        if forms is None:
            return None
        view, slot = _view(forms, term.slot.shape, self._box), term.slot
        return Load(lambda array, _: view(array), slot, _is_whole(forms, slot, self._box), slot.dtype)

    def _applied(self, term: Apply, numbers: list[int]) -> Instruction | None:
        operation, operands = term.operation, tuple(numbers)
        if operation in ("select", "pick"):
            return Instruction(np.where, operands, False)
        if operation in COMPARISONS:
            return Instruction(COMPARISONS[operation], operands, False)
        if operation in LOGIC:
            return Instruction(LOGIC[operation], operands, False)
        if operation in ("int", "real", "bool"):
            return Instruction(cast, operands, True, operation)
        if term.dtype == "real":
            function = REAL_OPERATIONS.get(operation)
            return None if function is None else Instruction(function, operands, False)
        if term.dtype != "int" or operation not in INTEGER_OPERATIONS:
            return None
        if operation in UNCHECKED:
            low, high = self._analysis.interval(term)
            if low >= INT_MIN and high <= INT_MAX:
                return Instruction(UNCHECKED[operation], operands, False)
        return Instruction(INTEGER_OPERATIONS[operation], operands, True)
