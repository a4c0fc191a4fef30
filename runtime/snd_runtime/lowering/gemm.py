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
from snd_runtime.lowering.calls import Call, Scratch, called
from snd_runtime.lowering.vectors import (
    Tile,
    element_at,
    load_vector,
    repeated,
    rows_at,
    store_vector,
    sums,
    table_at,
    tile_of,
)

_BLOCK = 256
"""How many products are added up in registers: their operands stay in the first cache."""

_CHUNK = 512
"""How many columns go through all blocks, one after the other: their sums stay in the second cache."""


class Offsets(Struct, frozen=True, eq=False):
    """Where the elements of matrices are: the start of each matrix, and offsets along its two dimensions."""

    starts: Array
    rows: Array
    columns: Array


class Multiplication:
    """Products of matrices of two tensors, added to those of a third one; the columns of ``a`` are the rows of ``b``.

    All that does not depend on the elements is found out once.
    """

    def __init__(self, a: Offsets, b: Offsets, c: Offsets, item_bytes: int) -> None:
        tile = tile_of(item_bytes)
        columns = _filled(b.columns, tile.columns)
        is_packed = not bool(np.all(np.diff(a.columns) == 1))
        rows = _filled(a.rows, tile.rows)
        self._packed = len(rows) * min(len(a.columns), _BLOCK) if is_packed else 0
        self._tables = (
            a.starts, rows, a.columns, is_packed,
            b.starts, b.rows, columns, _are_rows(columns, tile.lanes),
            c.starts, c.rows, c.columns, _are_rows(_filled(c.columns, tile.columns), tile.columns),
        )  # fmt: skip

    def call(self, a: Hashable, b: Hashable, c: Hashable, real: np.dtype[Any]) -> Call:
        """Return what adds the products; the tensors are contiguous, of these reals."""
        kernel, tile = _kernel(real.str), tile_of(real.itemsize)
        sizes = (self._packed, _BLOCK * tile.columns, tile.rows * tile.columns)
        return called(kernel, (a, b, c, *(Scratch(size * real.itemsize) for size in sizes)), self._tables)


def _filled(offsets: Array, most: int) -> Array:
    """Return offsets with the last one repeated, for a tile that goes beyond the end."""
    return np.concatenate([offsets, np.repeat(offsets[-1:], -len(offsets) % most)])


def _are_rows(offsets: Array, length: int) -> Array:
    """Return which pieces of this length lie in a row."""
    return np.asarray(np.all(np.diff(offsets.reshape(-1, length)) == 1, axis=1))


@cache
def _kernel(dtype: str) -> Callable[..., None]:
    """Return the kernel for one type of reals."""
    from numba import njit

    real = np.dtype(dtype)
    tile = tile_of(real.itemsize)
    tile_rows, tile_columns, third, zero = tile.rows, tile.columns, tile.rows // 3, real.type(0)
    of_third, of_two_thirds, of_all = (_tile_products(tile, third * times) for times in (1, 2, 3))
    load, store = _element_load(tile), _element_store(tile)
    pack_rows, fill_panel = _copies(tile)

    @njit(error_model="numpy", boundscheck=False)
    def kernel(
        a: int, b: int, c: int, packed: int, panel: int, sums: int,
        a_starts: Any, a_rows: Any, a_inner: Any, is_packed: bool,
        b_starts: Any, b_inner: Any, b_columns: Any, is_row: Any,
        c_starts: Any, c_rows: Any, c_columns: Any, c_is_row: Any,
    ) -> None:  # fmt: skip
        rows, inner, columns = len(c_rows), len(a_inner), len(c_columns)
        sum_rows, packed_rows = np.arange(tile_rows) * tile_columns, np.arange(tile_rows)
        for number in range(len(c_starts)):
            a_start, b_start, c_start = a_starts[number], b_starts[number], c_starts[number]
            for chunk in range(0, columns, _CHUNK):
                for first in range(0, inner, _BLOCK):
                    length = min(inner - first, _BLOCK)
                    if is_packed:
                        pack_rows(packed, a, a_start, a_rows, a_inner, first, length)
                    for column in range(chunk, min(chunk + _CHUNK, columns), tile_columns):
                        fill_panel(panel, b, b_start, b_inner, b_columns, is_row, first, length, column)
                        width = min(columns - column, tile_columns)
                        for row in range(0, rows, tile_rows):
                            left = min(rows - row, tile_rows)
                            height = -(-left // third) * third
                            is_whole = width == tile_columns and left == height and c_is_row[column // tile_columns]
                            if is_packed:
                                of, of_start, of_rows, of_row, step = packed, row * length, packed_rows, 0, tile_rows
                            else:
                                of, of_start, of_rows, of_row, step = a, a_start + a_inner[first], a_rows, row, 1
                            if is_whole:
                                to_array, to_start, to_rows, to_row = c, c_start + c_columns[column], c_rows, row
                            else:
                                for at in range(tile_rows * tile_columns):
                                    store(sums, at, zero)
                                to_array, to_start, to_rows, to_row = sums, 0, sum_rows, 0
                            left_side = (of, of_start, of_rows, of_row, step)
                            target_side = (to_array, to_start, to_rows, to_row)
                            if height == tile_rows:
                                of_all(*left_side, panel, length, *target_side)
                            elif height == third:
                                of_third(*left_side, panel, length, *target_side)
                            else:
                                of_two_thirds(*left_side, panel, length, *target_side)
                            if not is_whole:
                                for j in range(width):  # few cache lines for each column, if columns are contiguous
                                    target = c_start + c_columns[column + j]
                                    for i in range(left):
                                        at = target + c_rows[row + i]
                                        store(c, at, load(c, at) + load(sums, i * tile_columns + j))

    compiled: Callable[..., None] = kernel
    return compiled


def _copies(tile: Tile) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return what copies a block of all rows, tile by tile, and one of the columns of a tile."""
    from numba import njit

    tile_rows, tile_columns, lanes = tile.rows, tile.columns, tile.lanes
    load, store, copied = _element_load(tile), _element_store(tile), _vector_copy(tile)

    @njit(error_model="numpy", boundscheck=False)
    def pack_rows(packed: int, a: int, a_start: int, rows: Any, inner: Any, first: int, length: int) -> None:
        for row in range(len(rows)):
            to = (row // tile_rows) * tile_rows * length + row % tile_rows
            start = a_start + rows[row]
            for k in range(length):
                store(packed, to + k * tile_rows, load(a, start + inner[first + k]))

    @njit(error_model="numpy", boundscheck=False)
    def fill_panel(
        panel: int, b: int, b_start: int, inner: Any, columns: Any, is_row: Any, first: int, length: int, column: int
    ) -> None:
        for k in range(length):
            start = b_start + inner[first + k]
            to = k * tile_columns
            for each in range(column, column + tile_columns, lanes):
                if is_row[each // lanes]:
                    copied(panel, to, b, start + columns[each])
                else:
                    for lane in range(lanes):
                        store(panel, to + lane, load(b, start + columns[each + lane]))
                to += lanes

    return pack_rows, fill_panel


# ---- in the language of the compiler ---------------------------------------------------------------------------------
def _element_load(tile: Tile) -> Callable[..., Any]:
    """Return what reads the element at an offset from an address."""
    from numba import types
    from numba.extending import intrinsic

    def load(typing: Any, address: Any, offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(element_at(builder, tile, *arguments))

        return (types.float32 if tile.item_bytes == 4 else types.float64)(types.int64, types.int64), code

    return intrinsic(load)


def _element_store(tile: Tile) -> Callable[..., Any]:
    """Return what writes the element at an offset from an address."""
    from numba import types
    from numba.extending import intrinsic

    def store(typing: Any, address: Any, offset: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], element_at(builder, tile, *arguments[:2]))
            return context.get_dummy_value()

        real = types.float32 if tile.item_bytes == 4 else types.float64
        return types.void(types.int64, types.int64, real), code

    return intrinsic(store)


def _vector_copy(tile: Tile) -> Callable[..., Any]:
    """Return what copies a vector of elements."""
    from numba import types
    from numba.extending import intrinsic

    def copied(typing: Any, to: Any, to_offset: Any, of: Any, of_offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, to_offset, of, of_offset = arguments
            found = load_vector(builder, tile, element_at(builder, tile, of, of_offset))
            store_vector(builder, tile, found, element_at(builder, tile, to, to_offset))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, types.int64), code

    return intrinsic(copied)


def _tile_products(tile: Tile, height: int) -> Callable[..., Any]:
    """Return what adds the products of so many rows with the columns of a panel to a tile of sums."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    index = ir.IntType(64)

    def products(
        typing: Any, of: Any, start: Any, rows: Any, row: Any, step: Any, panel: Any, count: Any,
        to: Any, to_start: Any, to_rows: Any, to_row: Any,
    ) -> Any:  # fmt: skip
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            of, start, _, row, step, panel, count, to, to_start, _, to_row = arguments
            of_table, to_table = (table_at(context, builder, signature, arguments, at) for at in (2, 9))
            of_rows = rows_at(builder, tile, of, start, of_table, row, height)

            def multiplied(k: Any) -> list[Any]:
                base, at = builder.mul(k, index(tile.columns)), builder.mul(k, step)
                offsets = [builder.add(base, index(number * tile.lanes)) for number in range(tile.vectors)]
                factors = [load_vector(builder, tile, element_at(builder, tile, panel, each)) for each in offsets]
                elements = (builder.load(builder.gep(place, [at])) for place in of_rows)
                wide = (repeated(builder, element, tile.lanes) for element in elements)
                return [builder.fmul(each, factor, flags=("contract",)) for each in wide for factor in factors]

            found = iter(sums(builder, tile, count, 1, multiplied))
            for place in rows_at(builder, tile, to, to_start, to_table, to_row, height):
                for number in range(tile.vectors):
                    target = builder.gep(place, [index(number * tile.lanes)])
                    store_vector(builder, tile, builder.fadd(load_vector(builder, tile, target), next(found)), target)
            return context.get_dummy_value()

        number, table = types.int64, types.int64[::1]
        return types.void(number, number, table, number, number, number, number, number, number, table, number), code

    return intrinsic(products)
