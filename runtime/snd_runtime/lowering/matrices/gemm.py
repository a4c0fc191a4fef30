"""Products of matrices whose elements lie at affine addresses, as compiled loops: numba, where it is installed.

The elements of a row, a column or the sum have offsets that add up, so that windows of a convolution are multiplied
where they are: only a few columns at a time are copied into a panel that stays in the cache. One kernel serves all
formulas. Its innermost loop keeps the sums of a tile of rows and columns in registers; numba can't be brought to
vectorize that, so it is written in the language of its compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import CompiledCall, Scratch, called, helper, inlined
from snd_runtime.lowering.matrices.panels import copies, element_load, element_store, runs_of
from snd_runtime.lowering.matrices.vectors import (
    Tile,
    element_at,
    lanes_from,
    load_vector,
    repeated,
    rows_at,
    store_vector,
    sums,
    table_at,
    tile_of,
    total,
)

_BLOCK = 320
"""Number of products that are summed in registers: their operands stay in the first-level cache."""
_PANELS = 8
"""Number of column tiles that go through all blocks in turn: their panels stay in the second-level cache."""
_FEW = 4
"""Maximum number of remaining columns that are multiplied one by one."""
_LINE = 64
"""Bytes of a line of the cache."""


class Offsets(Struct, frozen=True, eq=False):
    """Addresses of the elements of matrices: the start of each matrix, and offsets along its two dimensions."""

    starts: Array
    rows: Array
    columns: Array


class Multiplication:
    """Products of matrices of two tensors, added to those of a third one; the columns of ``a`` are the rows of ``b``.

    Everything independent of the elements is computed once.
    """

    def __init__(self, a: Offsets, b: Offsets, c: Offsets, item_bytes: int) -> None:
        tile = tile_of(item_bytes)
        inner, left = len(a.columns), _left(len(c.columns), tile)
        places, skipped = _tiled(c.columns[: len(c.columns) - left], tile)
        columns, c_columns = b.columns[places], c.columns[places]
        rows = np.minimum(np.arange(len(c.rows) + -len(c.rows) % tile.rows), len(c.rows) - 1)
        runs = runs_of(columns, tile.lanes, -int(b.starts.min() + b.rows.min()))
        # Blocks have nearly the same length, in whole vectors.
        length = -(-inner // -(-inner // _BLOCK))
        self._table = _joined(
            np.array([length + -length % tile.lanes, _is_row(a.columns), _is_row(b.rows), runs.step]),
            a.starts, a.rows[rows], a.columns,
            b.starts, b.rows, columns, runs.ends, runs.places, runs.lanes,
            c.starts, c.rows[rows], np.append(c_columns, c.columns[-_FEW:]), skipped,
            np.array([_is_row(c_columns[at : at + tile.columns]) for at in range(0, len(columns), tile.columns)]),
            b.columns[-_FEW:], np.array([len(c.rows), len(c.columns) - left, left]),
        )  # fmt: skip
        panels = min(-(-len(columns) // tile.columns), _PANELS)
        elements = panels * _BLOCK * tile.columns + tile.rows * (_BLOCK + tile.columns) + _FEW * _BLOCK
        self._bytes = elements * item_bytes + _LINE

    def call(self, a: Hashable, b: Hashable, c: Hashable, real: np.dtype[Any], begins: bool = False) -> CompiledCall:
        """Return the call that adds the products, or begins with them; the tensors are contiguous, of these reals."""
        return called((_kernel, real.str), (a, b, c, Scratch(self._bytes)), (self._table, begins))


def _left(count: int, tile: Tile) -> int:
    """Return how many columns are left that no vector is worth: their sums are in vectors, each of one sum."""
    left = count % tile.lanes
    return left if left <= _FEW < tile.lanes <= count else 0


def _tiled(columns: Array, tile: Tile) -> tuple[Array, Array]:
    """Return the columns of all tiles, in whole vectors, and for each tile the number of columns shared with another.

    If the result lies in a row at the end, the last tile begins so early that it ends there. Otherwise it repeats the
    last column.
    """
    count = len(columns)
    places = np.minimum(np.arange(count + -count % tile.lanes), count - 1)
    skipped = np.zeros(-(-count // tile.columns), np.int64)
    width = len(places) - count // tile.columns * tile.columns
    if len(places) > count >= width and _is_row(columns[count - width :]):
        places[-width:] = np.arange(count - width, count)
        skipped[-1] = len(places) - count
    return places, skipped


def _is_row(offsets: Array) -> bool:
    return bool(np.all(np.diff(offsets) == 1))


def _joined(*tables: Array) -> Array:
    """Return one table: where each of these begins, and where the last one ends, and then all of them."""
    starts = np.cumsum([len(tables) + 1, *map(len, tables)])
    return np.concatenate([starts, *tables]).astype(np.int64)


@cache
def _kernel(dtype: str) -> Callable[..., None]:
    """Return the kernel for one type of reals."""
    real = np.dtype(dtype)
    tile = tile_of(real.itemsize)
    tile_rows, tile_columns, lanes, item_bytes, block = tile.rows, tile.columns, tile.lanes, real.itemsize, _BLOCK
    panel_bytes = block * tile_columns * item_bytes
    multiplied, added, dots = _all_products(tile), _scattered(tile), _all_dots(tile)
    fill_rows, fill_panel = copies(tile, _BLOCK)

    @inlined
    def part(table: Any, number: int) -> Any:
        return table[table[number] : table[number + 1]]

    @inlined
    def kernel(a: int, b: int, c: int, scratch: int, table: Any, begins: int) -> None:
        how, a_starts, a_rows, a_inner = part(table, 0), part(table, 1), part(table, 2), part(table, 3)
        b_starts, b_inner, b_columns = part(table, 4), part(table, 5), part(table, 6)
        ends, places, begun = part(table, 7), part(table, 8), part(table, 9)
        c_starts, c_rows, c_columns = part(table, 10), part(table, 11), part(table, 12)
        skipped, is_row, left_columns = part(table, 13), part(table, 14), part(table, 15)
        rows, whole, left = part(table, 16)[0], part(table, 16)[1], part(table, 16)[2]
        inner, columns, step = len(a_inner), len(b_columns), how[0]
        panels = scratch + -scratch % _LINE
        row_part = panels + min(-(-columns // tile_columns), _PANELS) * panel_bytes
        totals = row_part + tile_rows * block * item_bytes
        left_part = totals + tile_rows * tile_columns * item_bytes
        total_rows = np.arange(tile_rows) * tile_columns
        for number in range(len(c_starts)):
            a_start, b_start, c_start = a_starts[number], b_starts[number], c_starts[number]
            for chunk in range(0, columns, _PANELS * tile_columns):
                chunk_end = min(chunk + _PANELS * tile_columns, columns)
                for first in range(0, inner, step):
                    length, is_first = min(inner - first, step), bool(begins) and first == 0
                    panel = panels
                    for column in range(chunk, chunk_end, tile_columns):
                        width = min(columns - column, tile_columns)
                        how_b = (b_columns, column, width, ends, places, begun, how[3], how[2])
                        fill_panel(panel, b, b_start, b_inner, first, length, *how_b)
                        panel += panel_bytes
                    has_left = left > 0 and chunk_end == columns
                    if has_left:
                        fill_rows(left_part, b, b_start, left_columns, 0, _FEW, b_inner, first, length, how[2])
                    for row in range(0, rows, tile_rows):
                        height = min(rows - row, tile_rows)
                        fill_rows(row_part, a, a_start, a_rows, row, tile_rows, a_inner, first, length, how[1])
                        panel = panels
                        for column in range(chunk, chunk_end, tile_columns):
                            is_wide, at = columns - column > lanes, column // tile_columns
                            # Called once only: the compiler puts all of it there.
                            to, start, to_rows, to_row = totals, 0, total_rows, 0
                            skips, is_fresh = 0, True
                            if is_row[at]:
                                to, start, to_rows, to_row = c, c_start + c_columns[column], c_rows, row
                                skips, is_fresh = skipped[at], is_first
                            target = (to, start, to_rows, to_row, skips, is_fresh)
                            multiplied(row_part, panel, length, height, is_wide, *target)
                            if not is_row[at]:
                                width = min(whole - column, tile_columns)
                                added(totals, c, c_start, c_rows, row, height, c_columns, column, width, is_first)
                            panel += panel_bytes
                        if has_left:
                            dots(row_part, left_part, length, left, totals)
                            place = _FEW - left
                            found = totals + place * item_bytes
                            added(found, c, c_start, c_rows, row, height, c_columns, columns + place, left, is_first)

    compiled: Callable[..., None] = kernel
    return compiled


def _scattered(tile: Tile) -> Callable[..., None]:
    """Return a function that adds a tile of sums to scattered elements."""
    tile_columns = tile.columns
    load, store = element_load(tile), element_store(tile)

    @helper
    def scattered(
        totals: int, c: int, start: int, rows: Any, row: int, height: int, columns: Any, column: int, width: int,
        is_first: bool,
    ) -> None:  # fmt: skip
        for j in range(width):  # few cache lines for each column, if columns are contiguous
            target = start + columns[column + j]
            for i in range(height):
                at = target + rows[row + i]
                total = load(totals, i * tile_columns + j)
                store(c, at, total if is_first else load(c, at) + total)

    scattering: Callable[..., None] = scattered
    return scattering


def _all_products(tile: Tile) -> Callable[..., None]:
    """Return a function that multiplies rows with a panel."""
    third = tile.rows // 3
    of_third, of_two_thirds, of_all = (_tile_products(tile, third * times, tile.vectors) for times in (1, 2, 3))
    narrow_third, narrow_two_thirds, narrow_all = (_tile_products(tile, third * times, 1) for times in (1, 2, 3))

    @helper
    def multiplied(
        part: int, panel: int, length: int, height: int, is_wide: bool,
        to: int, start: int, rows: Any, row: int, skipped: int, is_first: bool,
    ) -> None:  # fmt: skip
        if is_wide:
            if height > 2 * third:
                of_all(part, panel, length, to, start, rows, row, skipped, is_first)
            elif height > third:
                of_two_thirds(part, panel, length, to, start, rows, row, skipped, is_first)
            else:
                of_third(part, panel, length, to, start, rows, row, skipped, is_first)
        elif height > 2 * third:
            narrow_all(part, panel, length, to, start, rows, row, skipped, is_first)
        elif height > third:
            narrow_two_thirds(part, panel, length, to, start, rows, row, skipped, is_first)
        else:
            narrow_third(part, panel, length, to, start, rows, row, skipped, is_first)

    products: Callable[..., None] = multiplied
    return products


def _all_dots(tile: Tile) -> Callable[..., None]:
    """Return a function that multiplies a tile of rows with a few contiguous columns, for totals."""
    third, tile_columns = tile.rows // 3, tile.columns
    of_one, of_few = _dots(tile, tile.rows, 1), _dots(tile, third, _FEW)

    @helper
    def dots(part: int, columns: int, length: int, count: int, totals: int) -> None:
        if count == 1:
            of_one(part, 0, columns, _FEW - 1, length, totals, _FEW - 1)
        else:
            for row in range(0, 3 * third, third):
                of_few(part, row, columns, 0, length, totals, row * tile_columns)

    made: Callable[..., None] = dots
    return made


# ---- in the language of the compiler ---------------------------------------------------------------------------------
def _tile_products(tile: Tile, height: int, vectors: int) -> Callable[..., Any]:
    """Return a function that multiplies ``height`` rows with ``vectors`` of columns of a panel, for a tile.

    The first columns, which are ``skipped``, stay unchanged.
    """
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    index = ir.IntType(64)

    def products(
        typing: Any, part: Any, panel: Any, count: Any, to: Any, start: Any, rows: Any, row: Any, skipped: Any,
        is_first: Any,
    ) -> Any:  # fmt: skip
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            part, panel, count, to, start, _, row, skipped, is_first = arguments
            table = table_at(context, builder, signature, arguments, 5)

            def multiplied(k: Any) -> list[Any]:
                base = element_at(builder, tile, panel, builder.mul(k, index(tile.columns)))
                factors = [
                    load_vector(builder, tile, builder.gep(base, [index(number * tile.lanes)]))
                    for number in range(vectors)
                ]
                at = element_at(builder, tile, part, k)
                elements = (builder.load(builder.gep(at, [index(i * _BLOCK)])) for i in range(height))
                wide = (repeated(builder, element, tile.lanes) for element in elements)
                return [builder.fmul(each, factor, flags=("contract",)) for each in wide for factor in factors]

            found = sums(builder, tile, count, 1, multiplied)
            places = rows_at(builder, tile, to, start, table, row, height)
            targets = [
                builder.gep(place, [index(number * tile.lanes)]) for place in places for number in range(vectors)
            ]
            is_plain = builder.and_(is_first, builder.icmp_signed("==", skipped, index(0)))
            with builder.if_else(is_plain) as (plainly, otherwise):
                with plainly:
                    for total, target in zip(found, targets, strict=True):
                        store_vector(builder, tile, total, target)
                with otherwise:
                    zero = ir.Constant(found[0].type, [0.0] * tile.lanes)
                    masks = [
                        lanes_from(builder, tile, builder.sub(skipped, index(number * tile.lanes)))
                        for number in range(vectors)
                    ]
                    # All rows are read before any is written: the last row of a matrix may be repeated to fill a tile.
                    before = [load_vector(builder, tile, target) for target in targets]
                    for at, (total, old, target) in enumerate(zip(found, before, targets, strict=True)):
                        new = builder.fadd(builder.select(is_first, zero, old), total)
                        store_vector(builder, tile, builder.select(masks[at % vectors], new, old), target)
            return context.get_dummy_value()

        number, table = types.int64, types.int64[::1]
        return types.void(number, number, number, number, number, table, number, number, types.boolean), code

    return intrinsic(products)


def _dots(tile: Tile, height: int, width: int) -> Callable[..., Any]:
    """Return a function that multiplies ``height`` rows with ``width`` columns, in whole vectors along the sums."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    index = ir.IntType(64)

    def products(typing: Any, part: Any, row: Any, columns: Any, column: Any, count: Any, to: Any, start: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            part, row, columns, column, count, to, start = arguments
            sides = [
                element_at(builder, tile, each, builder.mul(at, index(_BLOCK)))
                for each, at in ((part, row), (columns, column))
            ]

            def multiplied(k: Any) -> list[Any]:
                left, right = (
                    [
                        load_vector(builder, tile, builder.gep(side, [builder.add(k, index(number * _BLOCK))]))
                        for number in range(size)
                    ]
                    for side, size in zip(sides, (height, width), strict=True)
                )
                return [builder.fmul(one, other, flags=("contract",)) for one in left for other in right]

            target = element_at(builder, tile, to, start)
            for at, each in enumerate(sums(builder, tile, count, tile.lanes, multiplied)):
                place = builder.gep(target, [index(at // width * tile.columns + at % width)])
                builder.store(total(builder, each, tile.lanes), place)
            return context.get_dummy_value()

        return types.void(*(types.int64,) * 7), code

    return intrinsic(products)
