"""Copies of parts of matrices, which stay in the cache while they are multiplied, as compiled loops.

The elements of a matrix lie at affine addresses. Vectors of registers copy contiguous elements: along the rows of the
part, or along its columns, which are then turned in registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import helper
from snd_runtime.lowering.matrices.vectors import (
    Tile,
    element_at,
    lanes_from,
    load_vector,
    rows_at,
    store_vector,
    table_at,
    transposed,
)

_RUNS = 6
"""Maximum number of loads that build a vector. Elements of vectors with more runs are copied one by one."""


class Runs(Struct, frozen=True, eq=False):
    """Runs of columns, contiguous or with step 2, that vectors of columns are built from."""

    step: int
    """Distance of neighbouring columns of a run."""
    ends: Array
    """The number of runs up to each vector and with it; a vector without runs is copied in another way."""
    places: Array
    """The offset of the vector that is loaded for each run: it has the run at its lanes."""
    lanes: Array
    """The lane that each run begins at."""


def runs_of(columns: Array, lanes: int, least: int) -> Runs:
    """Return how to copy columns with these offsets, which fill all vectors.

    From the offset ``least`` up to that of the last column there are elements in each row.
    """
    most, step = int(columns.max()), 2 if np.count_nonzero(np.diff(columns) == 2) > len(columns) // 2 else 1
    ends, places, begins = list[int](), list[int](), list[int]()
    for vector in columns.reshape(-1, lanes):
        starts = np.concatenate([[0], np.flatnonzero(np.diff(vector) != step) + 1])
        found = vector[starts] - step * starts
        if len(starts) <= _RUNS and least <= found.min() and found.max() + step * (lanes - 1) <= most:
            places += found.tolist()
            begins += starts.tolist()
        ends.append(len(places))
    return Runs(step, *(np.array(each, np.int64) for each in (ends, places, begins)))


def copies(tile: Tile, block: int) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return functions that copy rows of the left matrix and columns of the right one, of at most ``block`` elements.

    Zeros fill the last vectors of rows.
    """
    tile_columns, lanes, zero = tile.columns, tile.lanes, np.dtype(f"f{tile.item_bytes}").type(0)
    load, store, prefetched = element_load(tile), element_store(tile), _prefetch(tile)
    copied, merged, turned = vector_copy(tile), _vector_merge(tile, load_vector), _vector_turn(tile)
    halved, half_merged = vector_halving(tile), _vector_merge(tile, _every_second)

    @helper
    def fill_rows(
        rows: int, a: int, start: int, offsets: Any, row: int, height: int, inner: Any, first: int, length: int,
        is_row: bool,
    ) -> None:  # fmt: skip
        for i in range(height):
            of, to = start + offsets[row + i], i * block
            whole = length - length % lanes if is_row else 0
            following = start + offsets[min(row + height + i, len(offsets) - 1)] + inner[first]
            for k in range(0, whole, lanes):
                copied(rows, to + k, a, of + inner[first] + k)
                prefetched(a, following + k)
            for k in range(whole, length):
                store(rows, to + k, load(a, of + inner[first + k]))
            for k in range(length, length + -length % lanes):
                store(rows, to + k, zero)

    @helper
    def fill_panel(
        panel: int, b: int, start: int, inner: Any, first: int, length: int, columns: Any, column: int, width: int,
        ends: Any, places: Any, begins: Any, step: int, is_turned: bool,
    ) -> None:  # fmt: skip
        for lane in range(0, width, lanes):
            vector = (column + lane) // lanes
            run, end = ends[vector - 1] if vector else 0, ends[vector]
            if run < end:
                of = start + places[run]
                for k in range(length):
                    if step == 1:
                        copied(panel, lane + k * tile_columns, b, of + inner[first + k])
                    else:
                        halved(panel, lane + k * tile_columns, b, of + inner[first + k])
                for other in range(run + 1, end):
                    of = start + places[other]
                    for k in range(length):
                        if step == 1:
                            merged(panel, lane + k * tile_columns, b, of + inner[first + k], begins[other])
                        else:
                            half_merged(panel, lane + k * tile_columns, b, of + inner[first + k], begins[other])
            elif is_turned and length >= lanes:
                for k in range(0, length, lanes):
                    at = min(k, length - lanes)
                    turned(panel, lane + at * tile_columns, b, start + inner[first] + at, columns, column + lane)
            else:
                for each in range(lane, lane + lanes):
                    of = start + columns[column + each]
                    for k in range(length):
                        store(panel, each + k * tile_columns, load(b, of + inner[first + k]))

    return fill_rows, fill_panel


# ---- in the language of the compiler ---------------------------------------------------------------------------------
def element_load(tile: Tile) -> Callable[..., Any]:
    """Return a function that reads the element at an offset from an address."""
    from numba import types
    from numba.extending import intrinsic

    def load(typing: Any, address: Any, offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(element_at(builder, tile, *arguments))

        return (types.float32 if tile.item_bytes == 4 else types.float64)(types.int64, types.int64), code

    return intrinsic(load)


def element_store(tile: Tile) -> Callable[..., Any]:
    """Return a function that writes the element at an offset from an address."""
    from numba import types
    from numba.extending import intrinsic

    def store(typing: Any, address: Any, offset: Any, value: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], element_at(builder, tile, *arguments[:2]))
            return context.get_dummy_value()

        real = types.float32 if tile.item_bytes == 4 else types.float64
        return types.void(types.int64, types.int64, real), code

    return intrinsic(store)


def _prefetch(tile: Tile) -> Callable[..., Any]:
    """Return a function that prefetches a line of the cache."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def prefetched(typing: Any, address: Any, offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
            function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            place = builder.bitcast(element_at(builder, tile, *arguments), pointer)
            builder.call(function, [place, number(0), number(2), number(1)])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), code

    return intrinsic(prefetched)


def vector_copy(tile: Tile) -> Callable[..., Any]:
    """Return a function that copies a vector of elements."""
    return _copy(tile, load_vector)


def vector_halving(tile: Tile) -> Callable[..., Any]:
    """Return a function that copies every second element, up to a whole vector."""
    return _copy(tile, _every_second)


def _every_second(builder: Any, tile: Tile, place: Any) -> Any:
    """Return a vector of every second element from a pointer on."""
    from llvmlite import ir

    lanes = tile.lanes
    # The second vector ends with the last element that is needed: there may be none behind it.
    taken = [*range(0, lanes, 2), *range(lanes + 1, 2 * lanes, 2)]
    behind = builder.gep(place, [ir.IntType(64)(lanes - 1)])
    pair = (load_vector(builder, tile, each) for each in (place, behind))
    return builder.shuffle_vector(*pair, ir.Constant(ir.VectorType(ir.IntType(32), lanes), taken))


def _copy(tile: Tile, read: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that copies a vector read by ``read``."""
    from numba import types
    from numba.extending import intrinsic

    def copied(typing: Any, to: Any, to_offset: Any, of: Any, of_offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, to_offset, of, of_offset = arguments
            found = read(builder, tile, element_at(builder, tile, of, of_offset))
            store_vector(builder, tile, found, element_at(builder, tile, to, to_offset))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, types.int64), code

    return intrinsic(copied)


def _vector_merge(tile: Tile, read: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that copies the elements of a vector from some lane on."""
    from numba import types
    from numba.extending import intrinsic

    def merged(typing: Any, to: Any, to_offset: Any, of: Any, of_offset: Any, lane: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, to_offset, of, of_offset, lane = arguments
            place = element_at(builder, tile, to, to_offset)
            found = read(builder, tile, element_at(builder, tile, of, of_offset))
            kept = load_vector(builder, tile, place)
            store_vector(builder, tile, builder.select(lanes_from(builder, tile, lane), found, kept), place)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, types.int64, types.int64), code

    return intrinsic(merged)


def _vector_turn(tile: Tile) -> Callable[..., Any]:
    """Return a function that copies a vector of elements of as many columns as it has lanes: rows of the panel."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def turned(typing: Any, to: Any, to_offset: Any, of: Any, start: Any, columns: Any, column: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, to_offset, of, start, _, column = arguments
            table = table_at(context, builder, signature, arguments, 4)
            places = rows_at(builder, tile, of, start, table, column, tile.lanes)
            target = element_at(builder, tile, to, to_offset)
            for k, vector in enumerate(transposed(builder, [load_vector(builder, tile, each) for each in places])):
                store_vector(builder, tile, vector, builder.gep(target, [ir.IntType(64)(k * tile.columns)]))
            return context.get_dummy_value()

        number, table = types.int64, types.int64[::1]
        return types.void(number, number, number, number, table, number), code

    return intrinsic(turned)
