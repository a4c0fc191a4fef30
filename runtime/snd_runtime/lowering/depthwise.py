"""Products of single rows with matrices, such as depthwise convolutions, as compiled loops: numba, where it is there.

Vectors of registers go along stretches of memory that the columns of a matrix lie in. What stands between the columns,
such as the zeros around an image, is computed, too, and thrown away: that costs less than short rows do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.calls import Call, Scratch, called
from snd_runtime.lowering.gemm import Offsets
from snd_runtime.lowering.limits import MOST_BETWEEN, MOST_WASTED
from snd_runtime.lowering.vectors import (
    Tile,
    element_at,
    load_vector,
    repeated,
    store_vector,
    sums,
    table_at,
    tile_of,
)

_WIDE = 4
"""How many vectors are computed together, where there are as many."""
_ADDED = 4
"""How many sums are added to the results together, where there are as many in a row."""
_LEAST_LENGTH = 16
"""How many elements a stretch has at least: as many as the longest vector."""


class SingleRows:
    """Products of each row in ``a`` with a matrix in ``b``, added to elements of ``c``."""

    def __init__(self, a: Offsets, b: Offsets, c: Offsets, item_bytes: int) -> None:
        self._lanes = tile_of(item_bytes).lanes
        pieces = np.array([*_pieces(b.columns, self._lanes)], np.int64)
        ends = np.searchsorted(b.columns, pieces.sum(axis=1))
        places = b.columns - np.repeat(pieces[:, 0], np.diff(ends, prepend=0))
        # Columns that lie in rows on both sides are added together; they may have a stride on one side.
        step = int(np.median(np.diff(b.columns)))
        is_next = (np.diff(places) == step) & (np.diff(c.columns) == 1)
        is_next[ends[:-1] - 1] = False
        rows = np.concatenate([[0], np.flatnonzero(~is_next) + 1])
        self._tables = (
            np.add.outer(a.starts, a.rows).reshape(-1), a.columns,
            np.repeat(b.starts, len(a.rows)), b.rows,
            np.add.outer(c.starts, c.rows).reshape(-1),
            np.ascontiguousarray(pieces[:, 0]), pieces[:, 1] > self._lanes, np.searchsorted(rows, ends),
            c.columns[rows], places[rows], np.diff(rows, append=len(places)), step,
        )  # fmt: skip

    def call(self, a: Hashable, b: Hashable, c: Hashable, real: np.dtype[Any]) -> Call:
        """Return what adds the products; the tensors are contiguous, of these reals."""
        totals = Scratch(_WIDE * self._lanes * real.itemsize)
        return called(_kernel(real.str), (a, b, c, totals), self._tables)


def are_dense(columns: Array) -> bool:
    """Return whether columns with these offsets lie in stretches of which little is wasted."""
    if not np.all(np.diff(columns) > 0):
        return False
    lengths = [end - start for start, end in _stretches(columns)]
    return min(lengths) >= _LEAST_LENGTH and sum(lengths) <= MOST_WASTED * len(columns)


def _stretches(columns: Array) -> Iterator[tuple[int, int]]:
    """Yield where each stretch begins and ends."""
    breaks = np.flatnonzero(np.diff(columns) > MOST_BETWEEN)
    firsts, lasts = np.concatenate([[0], breaks + 1]), np.concatenate([breaks, [len(columns) - 1]])
    for first, last in zip(firsts, lasts, strict=True):
        yield int(columns[first]), int(columns[last]) + 1


def _pieces(columns: Array, lanes: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the length of what is computed together; the last of a stretch overlaps the one before it."""
    for start, end in _stretches(columns):
        while start < end:
            length = _WIDE * lanes if start + _WIDE * lanes <= end else lanes
            yield min(start, end - length), length
            start += length


@cache
def _kernel(dtype: str) -> Callable[..., None]:
    """Return the kernel for one type of reals."""
    from numba import njit

    tile = tile_of(np.dtype(dtype).itemsize)
    of_many, of_one = _products(tile, _WIDE), _products(tile, 1)
    add_some, add_one = _addition(tile, _ADDED), _addition(tile, 1)

    @njit(error_model="numpy", boundscheck=False)
    def kernel(
        a: int, b: int, c: int, totals: int,
        a_starts: Any, a_inner: Any, b_starts: Any, b_inner: Any, c_starts: Any,
        firsts: Any, are_wide: Any, ends: Any, to: Any, of: Any, lengths: Any, step: int,
    ) -> None:  # fmt: skip
        inner = len(a_inner)
        for number in range(len(a_starts)):
            begin = 0
            for piece in range(len(firsts)):
                first = b_starts[number] + firsts[piece]
                if are_wide[piece]:
                    of_many(a, a_starts[number], a_inner, b, first, b_inner, inner, totals)
                else:
                    of_one(a, a_starts[number], a_inner, b, first, b_inner, inner, totals)
                for row in range(begin, ends[piece]):
                    at, place, length = c_starts[number] + to[row], of[row], lengths[row]
                    whole = length - length % _ADDED if step == 1 else 0
                    for column in range(0, whole, _ADDED):
                        add_some(c, at + column, totals, place + column)
                    for column in range(whole, length):
                        add_one(c, at + column, totals, place + column * step)
                begin = ends[piece]

    compiled: Callable[..., None] = kernel
    return compiled


def _products(tile: Tile, width: int) -> Callable[..., Any]:
    """Return what computes the products of a row with as many columns as so many vectors have elements."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    index = ir.IntType(64)

    def products(
        typing: Any, a: Any, a_start: Any, a_inner: Any, b: Any, b_start: Any, b_inner: Any, count: Any, to: Any
    ) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            a, a_start, _, b, b_start, _, count, to = arguments
            a_inner, b_inner = (table_at(context, builder, signature, arguments, at) for at in (2, 5))

            def multiplied(k: Any) -> list[Any]:
                at_a, at_b = (
                    builder.add(start, builder.load(builder.gep(table, [k])))
                    for start, table in ((a_start, a_inner), (b_start, b_inner))
                )
                factor = repeated(builder, builder.load(element_at(builder, tile, a, at_a)), tile.lanes)
                place = element_at(builder, tile, b, at_b)
                elements = [builder.gep(place, [index(number * tile.lanes)]) for number in range(width)]
                return [
                    builder.fmul(factor, load_vector(builder, tile, each), flags=("contract",)) for each in elements
                ]

            for number, total in enumerate(sums(builder, tile, count, 1, multiplied)):
                store_vector(builder, tile, total, element_at(builder, tile, to, index(number * tile.lanes)))
            return context.get_dummy_value()

        number, table = types.int64, types.int64[::1]
        return types.void(number, number, table, number, number, table, number, number), code

    return intrinsic(products)


def _addition(tile: Tile, count: int) -> Callable[..., Any]:
    """Return what adds so many elements in a row to others."""
    from numba import types
    from numba.extending import intrinsic

    part = replace(tile, lanes=count)

    def addition(typing: Any, to: Any, to_offset: Any, of: Any, of_offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, to_offset, of, of_offset = arguments
            target = element_at(builder, part, to, to_offset)
            added = load_vector(builder, part, element_at(builder, part, of, of_offset))
            store_vector(builder, part, builder.fadd(load_vector(builder, part, target), added), target)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64, types.int64), code

    return intrinsic(addition)
