"""Formulas as loops over single elements, for a compiler: numba, where it is installed (the extra ``snd[fast]``).

NumPy is slow where an operation has few elements at a time: pooling, depthwise convolutions, normalisations of small
images. All kernels come from formulas, by the one rule of this module. Extents, strides and constants are arguments, so
that formulas of one form share a kernel. Nothing is reordered or contracted but sums; only functions such as ``exp``
may differ in the last bits (``elementary.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib.util import find_spec
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.compose.formulas import (
    INT_MAX,
    INT_MIN,
    AffineIndex,
    Analysis,
    Apply,
    Bounds,
    Constant,
    IndexTerm,
    Read,
    Slot,
    Term,
    Write,
    subterms,
    unconditional,
)
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.calls import Call, Place, Word, entry_address, run_calls
from snd_runtime.lowering.folds import STORED, Fold, along_row, combined, side_by_side
from snd_runtime.lowering.functions import SINGLE, function_named
from snd_runtime.lowering.limits import MOST_SUMMED, MOST_UNROLLED
from snd_runtime.lowering.memory import array_types
from snd_runtime.lowering.windows import Row, Windows

WORTH_COMPILING = 1 << 24
"""How many points NumPy must have computed before a kernel is compiled, in which time it would have been."""
_CALL = 1 << 16
"""How many points a call counts for, which costs NumPy time however few there are."""

_REAL = {
    "+": "({} + {})",
    "-": "({} - {})",
    "*": "({} * {})",
    "/": "({} / {})",
    "negate": "(-{})",
    "abs": "abs({})",
    "sqrt": "np.sqrt({})",
    "floor": "np.floor({})",
    "ceil": "np.ceil({})",
    "<?": "({0} if {0} < {1} or {0} != {0} else {1})",
    ">?": "({0} if {0} > {1} or {0} != {0} else {1})",
}
"""The operations on reals that come to the same, bit by bit, as those of NumPy."""
_INT = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "negate": "(-{})"}
_BOOL = {"&&": "({} & {})", "||": "({} | {})", "all": "({} & {})", "any": "({} | {})", "not": "(not {})"}
_TILE = (16, 16)
"""Rows and columns of tiles that are turned: few enough lines of the cache, all of whose elements are used."""
_LEAST_FOLDED = 8
"""Rows of fewer elements are accumulated side by side."""
_DTYPES = frozenset({"real", "int", "bool"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_HEAD, _INDENT = "def kernel(", "    "


class Statement(Struct, frozen=True):
    """A write with what it reads, over the axes of a kernel; ``tensors`` are the names of tensors in it."""

    write: Write
    operator: str
    analysis: Analysis
    tensors: Callable[[Slot], Hashable]
    is_kept: bool = True
    """Whether anything but later statements reads it."""


class Kernel(Struct, frozen=True):
    """Loops with what they are called with; the tensors are given in this order."""

    source: str
    numbers: Array
    constants: Array
    tensors: tuple[Any, ...]
    kinds: tuple[tuple[str, int], ...]
    """The element type of each tensor, and how many elements it has."""
    results: tuple[int, ...]
    """Which of the tensors it writes."""
    points: int
    functions: frozenset[str] = frozenset()
    """The functions that it calls."""

    def run(self, arrays: Sequence[Array], real: np.dtype[Any]) -> bool:
        """Compute the results, given the arrays of all tensors, those of the results, too; false if NumPy has to."""
        call = self.call(real)
        if call is None or not all(arrays[at].flags.c_contiguous for at in self.results):
            return False
        if not is_worth_compiling(self.source, self.points):
            return False
        return run_calls([call], dict(zip(self.tensors, arrays, strict=True)))

    def call(self, real: np.dtype[Any]) -> Call | None:
        """Return the call of the loops, on tensors with reals of this type; None if they can't compute these."""
        if real != np.float32 and not self.functions.isdisjoint(SINGLE):
            return None
        constants = self.constants.astype(real)
        words: list[Word] = [self.numbers.ctypes.data, len(self.numbers), constants.ctypes.data, len(constants)]
        for tensor, (_, size) in zip(self.tensors, self.kinds, strict=True):
            words += [Place(tensor), size]
        dtypes = tuple(array_types(real)[dtype].name for dtype, _ in self.kinds)
        entry = partial(_entry, self.source, real.name, dtypes, self.functions)
        return Call(entry, tuple(words), (self.numbers, constants), self.points)


_COMPUTED: dict[str, int] = {}


def is_worth_compiling(what: str, points: int) -> bool:
    """Return whether NumPy, which may have to compute so many more points, has taken as long as a compiler would."""
    computed = _COMPUTED[what] = _COMPUTED.get(what, 0) + points + _CALL
    return computed >= WORTH_COMPILING


class Worth:
    """Whether calls that are made together are worth compiling."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._each = sum(call.points + _CALL for call in calls)
        self._functions = len({call.function for call in calls})
        self._computed = 0

    def is_reached(self) -> bool:
        """Return the same as ``is_worth_compiling`` for all of them, which NumPy may have to compute once more."""
        self._computed += self._each
        return self._computed >= WORTH_COMPILING * self._functions


@cache
def _entry(source: str, real: str, dtypes: tuple[str, ...], functions: frozenset[str]) -> int:
    """Compile loops over tensors of these types: the address of the function."""
    kinds = ["int64", real, *dtypes]
    head, *body = source.splitlines()
    names = head[len(_HEAD) : -2].split(", ")
    lines = [
        f"{name} = {kind}(words[{2 * at}], words[{2 * at + 1}])"
        for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    lines += [line[len(_INDENT) :] for line in body]
    return entry_address(lines, 2 * len(names), {each: function_named(each) for each in functions})


@cache
def has_compiler() -> bool:
    """Return whether there is a compiler."""
    return find_spec("numba") is not None


def kernel(statements: Sequence[Statement]) -> Kernel | None:
    """Return loops for statements over the same points, in order; None if there are none, or no compiler."""
    if not has_compiler():
        return None
    try:
        return _Loops(statements).kernel()
    except _UnsuitableError:
        return None


class _UnsuitableError(Exception):
    """The statements can't be computed so."""


class _Access(Struct, eq=False):
    """Elements of a tensor, in a row: the element of the first point, and the step along each axis."""

    array: str
    start: int
    steps: dict[int, int]
    chosen: tuple[_Chosen, ...] = ()


class _Chosen(Struct, frozen=True):
    """An index that a tensor says, which must lie within an extent; ``step`` is that of the elements."""

    statement: Statement
    index: Term
    step: int
    extent: int


class _Limit(Struct, frozen=True):
    """A guarded index that must lie within an extent."""

    form: AffineIndex
    extent: int


class _Loops:
    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._extents = statements[0].analysis.extents
        self._arrays: dict[Hashable, str] = {}
        self._kinds: dict[Hashable, tuple[str, int]] = {}
        self._accesses: dict[Hashable, _Access] = {}
        self._limits: list[_Limit] = []
        self._placed: set[int] = set()
        """Axes whose positions are limited."""
        self._numbers: list[int] = []
        self._constants: list[float] = []
        self._functions: set[str] = set()
        self._fold: Fold | None = None
        self._found: set[int] = set()
        """Accesses of which it is known where they are."""
        self._within: int | None = None
        """The axis of short windows, which are unrolled in the last loop."""
        self._tiled: int | None = None
        """The axis that is walked through in tiles with the last one."""
        self._values: dict[tuple[int, Term] | Hashable, tuple[str, int]] = {}
        self._lines: list[list[str]] = []
        made: set[Hashable] = set()
        for statement in statements:
            self._look_at(statement, made)
            made.add(statement.tensors(statement.write.slot))
        self._targets = {
            at: self._access(each, each.write.slot, each.write.places)
            for at, each in enumerate(statements)
            if each.is_kept
        }

    def kernel(self) -> Kernel:
        reduced = self._reduced()
        axes = [axis for axis, extent in enumerate(self._extents) if extent > 1]
        along = next(iter(self._targets.values())).steps
        free = sorted((axis for axis in axes if axis not in reduced), key=lambda axis: -along.get(axis, 0))
        outer = self._merged(free)
        inner = self._merged([axis for axis in axes if axis in reduced])
        if self._is_folded(outer, inner):
            return self._written([*outer, *inner], len(outer))
        if not outer or any(each.steps.get(outer[-1][0], 0) != 1 for each in self._targets.values()):
            raise _UnsuitableError
        if any(each.steps.get(outer[-1][0], 0) < 0 for each in self._accesses.values()):
            raise _UnsuitableError
        is_sum = self._statements[0].operator == "+="
        if is_sum and prod(self._extents[axis] for axis in reduced) > MOST_SUMMED:
            if any(outer[-1][0] in limit.form.factors for limit in self._limits):
                raise _UnsuitableError
            return self._written([*outer[:-1], *inner, outer[-1]], len(outer) - 1)
        if self._are_windows(outer[-1][0], inner):
            self._within = inner[-1][0]
            return self._written([*outer[:-1], *inner[:-1], outer[-1], inner[-1]])
        across = None if inner else self._across(outer)
        if across is not None:
            self._tiled = across[0]
            return self._written([*(each for each in outer[:-1] if each != across), across, outer[-1]])
        return self._written([*outer[:-1], *inner, outer[-1]])

    def _across(self, outer: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """Return the axis along which elements are neighbours that are far from each other along the last one."""
        axis, extent = outer[-1]
        far = [each.steps for each in self._accesses.values() if each.steps.get(axis, 0) >= _TILE[0]]
        if extent < _TILE[1] or any(axis in limit.form.factors for limit in self._limits):
            return None
        found = (each for each in outer[:-1] if each[1] >= _TILE[0] and each[0] not in self._placed)
        return next((each for each in found if any(steps.get(each[0]) == 1 for steps in far)), None)

    def _are_windows(self, axis: int, inner: Sequence[tuple[int, int]]) -> bool:
        """Return whether results along an axis are accumulated from short windows."""
        if not inner or inner[-1][1] > MOST_UNROLLED or len(self._statements) > 1:
            return False
        within = inner[-1][0]
        if not all(0 <= each.steps.get(within, 0) <= MOST_UNROLLED for each in self._accesses.values()):
            return False
        factors = [limit.form.factors for limit in self._limits]
        return all(each.get(axis, 0) > 0 and within in each for each in factors if axis in each or within in each)

    def _reduced(self) -> frozenset[int]:
        axes = {axis for axis, extent in enumerate(self._extents) if extent > 1}
        reduced = axes.difference(*(each.steps for each in self._targets.values()))
        if reduced and {each.operator for each in self._statements} & {"=", ":="}:
            raise _UnsuitableError
        return frozenset(reduced)

    def _is_folded(self, outer: Sequence[tuple[int, int]], inner: Sequence[tuple[int, int]]) -> bool:
        """Return whether results stay in a variable: vectors along the last reduced axis, not along the results."""
        if not inner or len(self._statements) > 1:
            return False
        axis, extent = inner[-1]
        if any(each.steps.get(axis, 0) not in (0, 1) for each in self._accesses.values()):
            return False
        if not outer:
            return True
        are_rows = all(0 <= each.steps.get(outer[-1][0], 0) <= 1 for each in self._accesses.values())
        return extent >= _LEAST_FOLDED and not are_rows

    # ---- what is read and written ------------------------------------------------------------------------------------
    def _look_at(self, statement: Statement, made: set[Hashable]) -> None:
        write = statement.write
        is_exact = write.slot.dtype == "int" and statement.operator in ("+=", "*=")
        if is_exact or statement.operator not in STORED:
            raise _UnsuitableError
        everywhere = {*unconditional(write.value)}
        for term in subterms(write.value):
            if isinstance(term, Read) and statement.tensors(term.slot) not in made:
                if term not in everywhere and any(place.bounds is Bounds.SKIPPED for place in term.places):
                    raise _UnsuitableError
                self._access(statement, term.slot, term.places)

    def _access(self, statement: Statement, slot: Slot, places: Sequence[IndexTerm]) -> _Access:
        if slot.dtype not in _DTYPES:
            raise _UnsuitableError
        start, steps, stride, chosen = 0, dict[int, int](), 1, list[_Chosen]()
        ranges = [(0, extent) for extent in self._extents]
        for place, extent in reversed([*zip(places, slot.shape, strict=True)]):
            form = statement.analysis.affine(place.index)
            if extent is None or place.below is not None:
                raise _UnsuitableError
            if form is None:
                chosen.append(self._chosen(statement, place, stride, extent))
                stride *= extent
                continue
            low, high = form.over(ranges)
            if low < 0 or high >= extent:
                if place.bounds is not Bounds.SKIPPED:
                    raise _UnsuitableError
                if all(self._extents[axis] == 1 for axis in form.factors):
                    raise _UnsuitableError
                limit = _Limit(form, extent)
                if limit not in self._limits:
                    self._limits.append(limit)
                    self._placed |= {*form.factors}
            start += form.constant * stride
            for axis, factor in form.factors.items():
                if self._extents[axis] > 1:
                    steps[axis] = steps.get(axis, 0) + factor * stride
            stride *= extent
        tensor = statement.tensors(slot)
        array = self._arrays.setdefault(tensor, f"t{len(self._arrays)}")
        self._kinds[tensor] = slot.dtype, stride
        key = (tensor, start, tuple(sorted(steps.items())), tuple((each.index, each.step) for each in chosen))
        return self._accesses.setdefault(key, _Access(array, start, steps, tuple(chosen)))

    def _chosen(self, statement: Statement, place: IndexTerm, step: int, extent: int) -> _Chosen:
        """Return an index that is computed; where it is out of bounds, all is found out in another way."""
        if place.bounds is not Bounds.CHECKED or statement.operator != "=" or len(self._statements) > 1:
            raise _UnsuitableError
        return _Chosen(statement, place.index, step, extent)

    def _merged(self, axes: Sequence[int]) -> list[tuple[int, int]]:
        """Return axes with their extents; the last of neighbours that are walked through as one stands for them."""
        found: list[tuple[int, int]] = []
        for axis in reversed(axes):
            extent = self._extents[axis]
            if found and self._is_one(axis, *found[-1]):
                found[-1] = (found[-1][0], found[-1][1] * extent)
            else:
                found.append((axis, extent))
        return found[::-1]

    def _is_one(self, axis: int, last: int, extent: int) -> bool:
        if axis in self._placed or last in self._placed:
            return False
        return all(each.steps.get(axis, 0) == each.steps.get(last, 0) * extent for each in self._accesses.values())

    # ---- text --------------------------------------------------------------------------------------------------------
    def _number(self, value: int) -> str:
        self._numbers.append(value)
        return f"n{len(self._numbers) - 1}"

    def _written(self, loops: Sequence[tuple[int, int]], folded_at: int | None = None) -> Kernel:
        """Return the kernel; ``folded_at`` is the level at which results stay in a variable."""
        self._levels = {axis: at + 1 for at, (axis, _) in enumerate(loops)}
        self._loops = loops
        self._lines = [[] for _ in range(len(loops) + 1)]
        if folded_at is not None:
            self._fold = self._folding()
        is_windowed = self._within is not None
        ranges = [self._range(level) for level in range(1, self._far + 1)]
        self._points()
        if folded_at is not None and self._fold is not None:
            self._lines[0] += self._fold.first
            self._lines[folded_at] += self._fold.before
        results = [self._valued(statement) for statement in self._statements]
        if is_windowed:
            ranges.append(self._windows(results[0]))
        else:
            ranges.append(self._range(len(loops)))
            self._lines[-1] += [
                self._stored(self._statements[at], self._element(target), results[at])
                for at, target in self._targets.items()
            ]
        text = [f"{_HEAD}{', '.join(('numbers', 'constants', *self._arrays.values()))}):"]
        text += [f"{_INDENT}n{at} = numbers[{at}]" for at in range(len(self._numbers))]
        text += [f"{_INDENT}c{at} = constants[{at}]" for at in range(len(self._constants))]
        for level, lines in enumerate(self._lines[:-2] if is_windowed else self._lines):
            depth = level + 1 + (self._fold.depth if self._fold is not None and level == len(loops) else 0)
            depth += 1 if self._tiled is not None and level >= self._far else 0
            text += [_INDENT * depth + line for line in lines]
            if level < len(ranges):
                text += [_INDENT * depth + line for line in ranges[level]]
        if folded_at is not None and self._fold is not None:
            text += [_INDENT * (len(loops) + self._fold.depth) + line for line in self._fold.after_block]
            text += [_INDENT * (folded_at + 1) + line for line in self._fold.after]
        points = prod(extent for _, extent in loops)
        numbers = np.array(self._numbers or [0], np.int64)
        tensors = tuple(self._arrays)
        written = tuple(tensors.index(each.tensors(each.write.slot)) for each in self._statements if each.is_kept)
        constants = np.array(self._constants or [0.0])
        kinds, functions = tuple(self._kinds[each] for each in tensors), frozenset(self._functions)
        return Kernel("\n".join(text), numbers, constants, tensors, kinds, written, points, functions)

    def _folding(self) -> Fold:
        """Return how results stay elsewhere until the end."""
        statement, target = self._statements[0], self._targets[0]
        axis, extent = self._loops[-1]
        if axis in target.steps:
            places = self._level(each for each in target.steps if each != axis)
            place = f"q{self._number_of(target)}_{places}"
            return side_by_side(target.array, place, f"i{axis}", self._number(extent))
        self._constants.append(0.0)
        fold = along_row(statement.operator, statement.write.slot.dtype, self._element(target), "c0")
        self._functions |= fold.functions
        return fold

    @property
    def _far(self) -> int:
        """How many loops there are around those that walk through rows."""
        return len(self._loops) - (1 if self._within is None else 2)

    def _stored(self, statement: Statement, element: str, value: str) -> str:
        """Return the line that stores or accumulates a value."""
        if self._fold is not None:
            return self._fold.step.format(value=value)
        if statement.operator in ("=", ":="):
            return f"{element} = {value}"
        text, functions = combined(statement.operator, statement.write.slot.dtype)
        self._functions |= functions
        return f"{element} = {text.format(element, value)}"

    def _windows(self, value: str) -> list[str]:
        """Return the last two loops."""
        (axis, extent), (within, size) = self._loops[-2:]
        rows = {
            f"r{number}": Row(each.array, f"p{number}", each.steps.get(axis, 0), each.steps.get(within, 0))
            for number, each in enumerate(self._accesses.values())
            if not each.steps.keys().isdisjoint((axis, within))
        }
        level = len(self._loops) - 1
        limits = self._limits_at(level)
        conditions = []
        for each in limits:
            index = f"{self._index(each, axis)} + at * {self._number(each.form.factors[axis])}"
            conditions.append(f"0 <= {index} < {self._number(each.extent)}")
        step, target = self._stored(self._statements[0], "s", value), self._element(self._targets[0])
        made = Windows(
            f"i{axis}", f"i{within}", self._number(extent), size, self._bounds(level), conditions, rows,
            self._lines[level], self._lines[level + 1], target, step,
        )  # fmt: skip
        around = {other for each in limits for other in each.form.factors} - {axis, within}
        self._lines[self._level(around)] += made.before()
        return made.lines()

    def _bounds(self, level: int) -> list[tuple[str, str]]:
        """Return the first position of a loop within the limits that are known there, and the one after the last."""
        axis, found = self._loops[level - 1][0], []
        for limit in self._limits_at(level):
            factor = limit.form.factors[axis]
            by, rest = self._number(abs(factor)), self._index(limit, axis)
            least, most = rest, f"({self._number(limit.extent - 1)} - {rest})"
            if factor < 0:
                least, most = most, least
            found.append((f"-({least} // {by})", f"{most} // {by} + 1"))
        return found

    def _limits_at(self, level: int) -> list[_Limit]:
        """Return the limits whose last axis, but that within windows, is the one of a loop."""
        return [limit for limit in self._limits if self._level({*limit.form.factors} - {self._within}) == level]

    def _index(self, limit: _Limit, axis: int) -> str:
        """Return the index that is limited, without what an axis adds to it."""
        rest = [self._number(limit.form.constant)]
        rest += [
            f"i{each} * {self._number(factor)}"
            for each, factor in limit.form.factors.items()
            if each != axis and each in self._levels
        ]
        return f"({' + '.join(rest)})"

    def _range(self, level: int) -> list[str]:
        """Return the lines that begin a loop; the last one counts from 0."""
        axis, extent = self._loops[level - 1]
        bounds = self._bounds(level)
        start, end = "0", self._number(extent)
        if self._tiled is not None and level == len(self._loops):
            return [*self._rows(level, axis, "begin", f"min(begin + {_TILE[1]}, {end})")]
        if axis == self._tiled:
            count = f"(({self._number(self._loops[-1][1])} + {_TILE[1] - 1}) // {_TILE[1]})"
            return [
                f"for tile in range(({end} + {_TILE[0] - 1}) // {_TILE[0]} * {count}):",
                f"{_INDENT}first, begin = tile // {count} * {_TILE[0]}, tile % {count} * {_TILE[1]}",
                f"{_INDENT}for i{axis} in range(first, min(first + {_TILE[0]}, {end})):",
            ]
        if not bounds:
            return [*self._rows(level, axis, start, end)]
        low, high = ((name, *(each[at] for each in bounds)) for at, name in enumerate((start, end)))
        start, end = f"l{axis}", f"h{axis}"
        lines = [f"{start} = max({', '.join(low)})", f"{end} = min({', '.join(high)})"]
        return [*lines, *self._rows(level, axis, start, end)]

    def _rows(self, level: int, axis: int, start: str, end: str) -> Iterator[str]:
        if level < len(self._loops):
            yield f"for i{axis} in range({start}, {end}):"
            return
        begins = {}
        for number, each in enumerate(self._accesses.values()):
            step = each.steps.get(axis, 0)
            if step:
                begin = f"p{number} + {start} * {step}" if start != "0" else f"p{number}"
                begins[f"r{number}"] = f"{each.array}[{begin}"
        if self._fold is not None:
            yield from self._fold.rows(begins, axis, f"({end} - {start})")
            return
        yield from (f"{name} = {begin} :]" for name, begin in begins.items())
        yield f"for i{axis} in range({end} - {start}):"

    def _points(self) -> None:
        """Write where each access is, at the level of its deepest axis but those of rows."""
        for access in self._accesses.values():
            if not access.chosen:
                self._point(access)
        for access in [*self._accesses.values()][::-1]:  # what says an index is found after what it is an index of
            if access.chosen:
                self._point(access)

    def _point(self, access: _Access) -> None:
        number = self._number_of(access)
        indices = [self._within_bounds(each) for each in access.chosen]
        place = f"q{number}_0"
        self._lines[0].append(f"{place} = {self._number(access.start)}")
        for level in range(self._far + 1):
            added = [f"{name} * {self._number(step)}" for name, at, step in indices if at == level]
            axis = self._loops[level - 1][0]
            if level and access.steps.get(axis, 0):
                added.append(f"i{axis} * {self._number(access.steps[axis])}")
            if added:
                self._lines[level].append(f"q{number}_{level} = {' + '.join((place, *added))}")
                place = f"q{number}_{level}"
        self._lines[self._far].append(f"p{number} = {place}")
        self._found.add(number)

    def _within_bounds(self, chosen: _Chosen) -> tuple[str, int, int]:
        """Return the name of an index, the level at which it is known, and the step of the elements."""
        name, level = self._value(chosen.statement, chosen.index)
        self._lines[level].append(f"if {name} < 0 or {name} >= {self._number(chosen.extent)}: return 1")
        return name, level, chosen.step

    def _number_of(self, access: _Access) -> int:
        return [*self._accesses.values()].index(access)

    def _level(self, axes: Iterable[int | None]) -> int:
        return max((self._levels.get(axis, 0) for axis in axes if axis is not None), default=0)

    def _level_of(self, access: _Access) -> int:
        """Return the level at which it is known where elements are."""
        levels = (self._value(each.statement, each.index)[1] for each in access.chosen)
        return max((self._level(access.steps), *levels))

    def _element(self, access: _Access) -> str:
        number = self._number_of(access)
        if access.chosen and number not in self._found:
            raise _UnsuitableError
        indices = [f"i{axis}" if axis != self._within else "j" for axis, _ in self._loops[self._far :]]
        steps = [access.steps.get(axis, 0) for axis, _ in self._loops[self._far :]]
        terms = [
            index if step == 1 else f"{index} * {step}" for index, step in zip(indices, steps, strict=True) if step
        ]
        found = [(self._value(each.statement, each.index), each.step) for each in access.chosen]
        late = [f"{name} * {self._number(step)}" for (name, level), step in found if level > self._far]
        if late:
            return f"{access.array}[{' + '.join((f'p{number}', *terms, *late))}]"
        if terms:
            return f"r{number}[{' + '.join(terms)}]"
        return f"{access.array}[q{number}_{self._level_of(access)}]"

    def _valued(self, statement: Statement) -> str:
        value = self._value(statement, statement.write.value)
        self._values[statement.tensors(statement.write.slot)] = value
        return value[0]

    def _value(self, statement: Statement, term: Term) -> tuple[str, int]:
        """Return the name of a value, and the level at which it is known."""
        tensor = statement.tensors(term.slot) if isinstance(term, Read) else None
        if tensor is not None and tensor in self._values:
            return self._values[tensor]
        key = (id(statement), term)  # operators that are alike share their formulas
        if key not in self._values:
            self._values[key] = self._made(statement, term)
        return self._values[key]

    def _made(self, statement: Statement, term: Term) -> tuple[str, int]:
        match term:
            case Constant(dtype="real", value=value):
                self._constants.append(float(value))
                return f"c{len(self._constants) - 1}", 0
            case Constant(dtype="int" | "bool", value=value):
                return f"({value})", 0
            case Read():
                access = self._access(statement, term.slot, term.places)
                level, text = self._level_of(access), self._element(access)
            case Apply():
                text, level = self._applied(statement, term)
            case _:
                raise _UnsuitableError
        name = f"v{len(self._values)}"
        self._lines[level].append(f"{name} = {text}")
        return name, level

    def _applied(self, statement: Statement, term: Apply) -> tuple[str, int]:
        found = [self._value(statement, each) for each in term.operands]
        names, level = [name for name, _ in found], max(level for _, level in found)
        dtypes = {each.dtype for each in term.operands}
        form = None
        if term.operation in ("select", "pick"):
            is_alike = term.operands[1].dtype == term.operands[2].dtype == term.dtype
            form = "({1} if {0} else {2})" if is_alike and term.operands[0].dtype == "bool" else None
        elif term.operation in _COMPARISONS and len(dtypes) == 1 and dtypes <= {"real", "int"}:
            form = f"({{}} {term.operation} {{}})"
        elif dtypes == {"bool"}:
            form = _BOOL.get(term.operation)
        elif dtypes == {"real"} and term.dtype == "real" and term.operation in SINGLE:
            form = f"{term.operation}({{}})"
            self._functions.add(term.operation)
        elif dtypes == {"real"} and term.dtype == "real":
            form = _REAL.get(term.operation)
        elif dtypes == {"int"} and term.dtype == "int" and term.operation in _INT:
            low, high = statement.analysis.interval(term)
            form = _INT[term.operation] if low >= INT_MIN and high <= INT_MAX else None
        if form is None:
            raise _UnsuitableError
        return form.format(*names), level
