"""Statements of formulas as nested loops over single elements, as text for a compiler.

All kernels come from formulas, by the one rule of this module. Extents, strides and constants are arguments, so that
formulas of one form share a kernel. Nothing is reordered or contracted but sums; only functions such as ``exp`` may
differ in the last bits (``elementary.py``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import prod

import numpy as np

from snd_analysis.compose.formulas import Apply, AxisPosition, Constant, Read, Term
from snd_runtime.lowering.compiled.accesses import Access, Accesses, Chosen, Limit, Statement, UnsuitableError
from snd_runtime.lowering.compiled.expressions import form_of
from snd_runtime.lowering.compiled.folds import FoldLines, along_row, combined, side_by_side
from snd_runtime.lowering.compiled.functions import FUNCTIONS
from snd_runtime.lowering.compiled.kernels import HEAD, INDENT, Kernel, has_compiler
from snd_runtime.lowering.compiled.windows import WindowRow, Windows
from snd_runtime.lowering.limits import MOST_SUMMED, MOST_UNROLLED

_TILE = (16, 16)
"""Rows and columns of tiles that are turned: few enough lines of the cache, all of whose elements are used."""
_LEAST_FOLDED = 8
"""Rows of fewer elements are accumulated side by side."""


def kernel(statements: Sequence[Statement]) -> Kernel | None:
    """Return loops for statements over the same points, in order; None if there are none, or no compiler."""
    if not has_compiler():
        return None
    try:
        return _Nest(statements).kernel()
    except UnsuitableError:
        return None


class _Nest:
    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._accesses = Accesses(statements)
        self._numbers: list[int] = []
        self._constants: list[float] = []
        self._functions: set[str] = set()
        self._fold: FoldLines | None = None
        self._found: set[int] = set()
        """Accesses whose addresses are computed already."""
        self._within: int | None = None
        """The axis of short windows, which are unrolled in the last loop."""
        self._tiled: int | None = None
        """The axis that is walked through in tiles with the last one."""
        self._values: dict[tuple[int, Term] | Hashable, tuple[str, int]] = {}
        self._lines: list[list[str]] = []

    def kernel(self) -> Kernel:
        reduced = self._reduced()
        axes = [axis for axis, extent in enumerate(self._accesses.extents) if extent > 1]
        along = next(iter(self._accesses.targets.values())).steps
        free = sorted((axis for axis in axes if axis not in reduced), key=lambda axis: -along.get(axis, 0))
        outer = self._merged(free)
        inner = self._merged([axis for axis in axes if axis in reduced])
        if self._accesses.positions and (inner or self._accesses.limits):
            raise UnsuitableError
        if self._is_folded(outer, inner):
            return self._written([*outer, *inner], len(outer))
        if not outer or any(each.steps.get(outer[-1][0], 0) != 1 for each in self._accesses.targets.values()):
            raise UnsuitableError
        if any(each.steps.get(outer[-1][0], 0) < 0 for each in self._accesses.all):
            raise UnsuitableError
        is_sum = self._statements[0].operator == "+="
        if is_sum and prod(self._accesses.extents[axis] for axis in reduced) > MOST_SUMMED:
            if any(outer[-1][0] in limit.form.factors for limit in self._accesses.limits):
                raise UnsuitableError
            return self._written([*outer[:-1], *inner, outer[-1]], len(outer) - 1)
        if self._are_windows(outer[-1][0], inner):
            self._within = inner[-1][0]
            return self._written([*outer[:-1], *inner[:-1], outer[-1], inner[-1]])
        across = None if inner or self._accesses.positions else self._across(outer)
        if across is not None:
            self._tiled = across[0]
            return self._written([*(each for each in outer[:-1] if each != across), across, outer[-1]])
        return self._written([*outer[:-1], *inner, outer[-1]])

    def _across(self, outer: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """Return the axis along which elements are neighbours that are far from each other along the last one."""
        axis, extent = outer[-1]
        far = [each.steps for each in self._accesses.all if each.steps.get(axis, 0) >= _TILE[0]]
        if extent < _TILE[1] or any(axis in limit.form.factors for limit in self._accesses.limits):
            return None
        found = (each for each in outer[:-1] if each[1] >= _TILE[0] and each[0] not in self._accesses.limited)
        return next((each for each in found if any(steps.get(each[0]) == 1 for steps in far)), None)

    def _are_windows(self, axis: int, inner: Sequence[tuple[int, int]]) -> bool:
        """Return whether results along an axis are accumulated from short windows."""
        if not inner or inner[-1][1] > MOST_UNROLLED or len(self._statements) > 1:
            return False
        within = inner[-1][0]
        if not all(0 <= each.steps.get(within, 0) <= MOST_UNROLLED for each in self._accesses.all):
            return False
        factors = [limit.form.factors for limit in self._accesses.limits]
        return all(each.get(axis, 0) > 0 and within in each for each in factors if axis in each or within in each)

    def _reduced(self) -> frozenset[int]:
        axes = {axis for axis, extent in enumerate(self._accesses.extents) if extent > 1}
        reduced = axes.difference(*(each.steps for each in self._accesses.targets.values()))
        if reduced and {each.operator for each in self._statements} & {"=", ":="}:
            raise UnsuitableError
        return frozenset(reduced)

    def _is_folded(self, outer: Sequence[tuple[int, int]], inner: Sequence[tuple[int, int]]) -> bool:
        """Return whether results stay in a variable: vectors along the last reduced axis, not along the results."""
        if not inner or len(self._statements) > 1:
            return False
        axis, extent = inner[-1]
        if any(each.steps.get(axis, 0) not in (0, 1) for each in self._accesses.all):
            return False
        if not outer:
            return True
        are_rows = all(0 <= each.steps.get(outer[-1][0], 0) <= 1 for each in self._accesses.all)
        return extent >= _LEAST_FOLDED and not are_rows

    def _merged(self, axes: Sequence[int]) -> list[tuple[int, int]]:
        """Return axes with their extents. Neighbours that one loop walks through become their last axis."""
        found: list[tuple[int, int]] = []
        for axis in reversed(axes):
            extent = self._accesses.extents[axis]
            if found and self._is_one(axis, *found[-1]):
                found[-1] = (found[-1][0], found[-1][1] * extent)
            else:
                found.append((axis, extent))
        return found[::-1]

    def _is_one(self, axis: int, last: int, extent: int) -> bool:
        if axis in self._accesses.limited or last in self._accesses.limited:
            return False
        return all(each.steps.get(axis, 0) == each.steps.get(last, 0) * extent for each in self._accesses.all)

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
                for at, target in self._accesses.targets.items()
            ]
        text = [f"{HEAD}{', '.join(('numbers', 'constants', *self._accesses.arrays.values()))}):"]
        text += [f"{INDENT}n{at} = numbers[{at}]" for at in range(len(self._numbers))]
        text += [f"{INDENT}c{at} = constants[{at}]" for at in range(len(self._constants))]
        for level, lines in enumerate(self._lines[:-2] if is_windowed else self._lines):
            depth = level + 1 + (self._fold.depth if self._fold is not None and level == len(loops) else 0)
            depth += 1 if self._tiled is not None and level >= self._far else 0
            text += [INDENT * depth + line for line in lines]
            if level < len(ranges):
                text += [INDENT * depth + line for line in ranges[level]]
        if folded_at is not None and self._fold is not None:
            text += [INDENT * (len(loops) + self._fold.depth) + line for line in self._fold.after_block]
            text += [INDENT * (folded_at + 1) + line for line in self._fold.after]
        points = prod(extent for _, extent in loops)
        numbers = np.array(self._numbers or [0], np.int64)
        tensors = tuple(self._accesses.arrays)
        written = tuple(tensors.index(each.tensors(each.write.slot)) for each in self._statements if each.is_kept)
        constants = np.array(self._constants or [0.0])
        kinds, functions = tuple(self._accesses.kinds[each] for each in tensors), frozenset(self._functions)
        return Kernel("\n".join(text), numbers, constants, tensors, kinds, written, points, functions)

    def _folding(self) -> FoldLines:
        """Return how results stay elsewhere until the end."""
        statement, target = self._statements[0], self._accesses.targets[0]
        axis, extent = self._loops[-1]
        if axis in target.steps:
            places = self._level(each for each in target.steps if each != axis)
            place = f"q{self._accesses.number(target)}_{places}"
            return side_by_side(target.array, place, self._position(axis), self._number(extent))
        self._constants.append(0.0)
        fold = along_row(statement.operator, statement.write.slot.dtype, self._element(target), "c0")
        self._functions |= fold.functions
        return fold

    def _position(self, axis: int) -> str:
        """Return the name of the index of a loop: of loops that are alike, it is the same."""
        return f"i{self._levels[axis]}"

    @property
    def _far(self) -> int:
        """Return the number of loops around the loops over rows."""
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
            f"r{number}": WindowRow(each.array, f"p{number}", each.steps.get(axis, 0), each.steps.get(within, 0))
            for number, each in enumerate(self._accesses.all)
            if not each.steps.keys().isdisjoint((axis, within))
        }
        level = len(self._loops) - 1
        limits = self._limits_at(level)
        conditions = []
        for each in limits:
            index = f"{self._index(each, axis)} + at * {self._number(each.form.factors[axis])}"
            conditions.append(f"0 <= {index} < {self._number(each.extent)}")
        step, target = self._stored(self._statements[0], "s", value), self._element(self._accesses.targets[0])
        made = Windows(
            self._position(axis), self._position(within), self._number(extent), size, self._bounds(level), conditions,
            rows, self._lines[level], self._lines[level + 1], target, step,
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

    def _limits_at(self, level: int) -> list[Limit]:
        """Return the limits whose last axis, but that within windows, is the one of a loop."""
        return [
            limit for limit in self._accesses.limits if self._level({*limit.form.factors} - {self._within}) == level
        ]

    def _index(self, limit: Limit, axis: int) -> str:
        """Return the limited index, without the contribution of an axis."""
        rest = [self._number(limit.form.constant)]
        rest += [
            f"{self._position(each)} * {self._number(factor)}"
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
                f"{INDENT}first, begin = tile // {count} * {_TILE[0]}, tile % {count} * {_TILE[1]}",
                f"{INDENT}for i{level} in range(first, min(first + {_TILE[0]}, {end})):",
            ]
        if not bounds:
            return [*self._rows(level, axis, start, end)]
        low, high = ((name, *(each[at] for each in bounds)) for at, name in enumerate((start, end)))
        start, end = f"l{level}", f"h{level}"
        lines = [f"{start} = max({', '.join(low)})", f"{end} = min({', '.join(high)})"]
        return [*lines, *self._rows(level, axis, start, end)]

    def _rows(self, level: int, axis: int, start: str, end: str) -> Iterator[str]:
        if level < len(self._loops):
            yield f"for i{level} in range({start}, {end}):"
            return
        begins = {}
        for number, each in enumerate(self._accesses.all):
            step = each.steps.get(axis, 0)
            if step:
                begin = f"p{number} + {start} * {step}" if start != "0" else f"p{number}"
                begins[f"r{number}"] = f"{each.array}[{begin}"
        if self._fold is not None:
            yield from self._fold.rows(begins, f"i{level}", f"({end} - {start})")
            return
        yield from (f"{name} = {begin} :]" for name, begin in begins.items())
        yield f"for i{level} in range({end} - {start}):"

    def _points(self) -> None:
        """Write the code that computes the offset of each access."""
        for access in self._accesses.all:
            if not access.chosen:
                self._point(access)
        for access in [*self._accesses.all][::-1]:  # an index is known after the tensor it is an index of
            if access.chosen:
                self._point(access)

    def _point(self, access: Access) -> None:
        number = self._accesses.number(access)
        indices = [self._within_bounds(each) for each in access.chosen]
        place = f"q{number}_0"
        self._lines[0].append(f"{place} = {self._number(access.start)}")
        for level in range(self._far + 1):
            added = [f"{name} * {self._number(step)}" for name, at, step in indices if at == level]
            axis = self._loops[level - 1][0]
            if level and access.steps.get(axis, 0):
                added.append(f"i{level} * {self._number(access.steps[axis])}")
            if added:
                self._lines[level].append(f"q{number}_{level} = {' + '.join((place, *added))}")
                place = f"q{number}_{level}"
        self._lines[self._far].append(f"p{number} = {place}")
        self._found.add(number)

    def _within_bounds(self, chosen: Chosen) -> tuple[str, int, int]:
        """Return the name of an index, the level at which it is known, and the step of the elements."""
        name, level = self._value(chosen.statement, chosen.index)
        self._lines[level].append(f"if {name} < 0 or {name} >= {self._number(chosen.extent)}: return 1")
        return name, level, chosen.step

    def _level(self, axes: Iterable[int | None]) -> int:
        return max((self._levels.get(axis, 0) for axis in axes if axis is not None), default=0)

    def _level_of(self, access: Access) -> int:
        """Return the level at which it is known where elements are."""
        levels = (self._value(each.statement, each.index)[1] for each in access.chosen)
        return max((self._level(access.steps), *levels))

    def _element(self, access: Access) -> str:
        number = self._accesses.number(access)
        if access.chosen and number not in self._found:
            raise UnsuitableError
        indices = [self._position(axis) if axis != self._within else "j" for axis, _ in self._loops[self._far :]]
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
            case AxisPosition(axis=axis) if axis in self._accesses.positions:
                return (self._position(axis), self._levels[axis]) if axis in self._levels else ("0", 0)
            case Read():
                access = self._accesses.of(statement, term.slot, term.places)
                level, text = self._level_of(access), self._element(access)
            case Apply():
                text, level = self._applied(statement, term)
            case _:
                raise UnsuitableError
        name = f"v{len(self._values)}"
        self._lines[level].append(f"{name} = {text}")
        return name, level

    def _applied(self, statement: Statement, term: Apply) -> tuple[str, int]:
        found = [self._value(statement, each) for each in term.operands]
        form = form_of(term, statement.analysis)
        if form is None:
            raise UnsuitableError
        self._functions |= {form.split("(")[0]} & FUNCTIONS
        return form.format(*(name for name, _ in found)), max(level for _, level in found)
