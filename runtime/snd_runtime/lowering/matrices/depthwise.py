"""Products of single rows with matrices, such as depthwise convolutions, as compiled loops, if numba is installed.

Vectors of registers go along stretches of memory that contain the columns of a matrix. Elements between the columns,
such as the zeros around an image, are computed, too, and thrown away: that costs less than short rows do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import CompiledCall, Scratch, called, helper, inlined
from snd_runtime.lowering.limits import MOST_BETWEEN, MOST_WASTED
from snd_runtime.lowering.matrices.gemm import Offsets
from snd_runtime.lowering.matrices.images import FEW, Images, image_copy
from snd_runtime.lowering.matrices.panels import element_load, element_store, vector_copy
from snd_runtime.lowering.matrices.vectors import (
    Tile,
    element_at,
    load_vector,
    repeated,
    store_vector,
    sums,
    table_at,
    tile_of,
)

_WIDTHS = (8, 4, 2, 1)
"""Numbers of vectors that are computed together, largest first."""
_LEAST_LENGTH = 16
"""Minimum number of elements in a stretch: the length of the longest vector."""


class SingleRows:
    """Products of each row in ``a`` with a matrix in ``b``, added to elements of ``c``.

    The matrix may be in copies of ``images`` of ``b``.
    """

    def __init__(self, a: Offsets, b: Offsets, c: Offsets, item_bytes: int, images: Images | None = None) -> None:
        self._lanes = lanes = tile_of(item_bytes).lanes
        at = b if images is None else images.matrices
        stretches = np.array([*_stretches(at.columns)], np.int64)
        lengths = stretches[:, 1] - stretches[:, 0]
        # Sums of all stretches lie one behind the other, with padding that is loaded beyond their ends.
        bases = np.cumsum(lengths) - lengths + lanes
        self._sums = int(lengths.sum()) + 2 * lanes * _WIDTHS[0]
        pieces = np.array([*_pieces(lengths, lanes, can_exceed=images is not None)], np.int64)
        number = np.searchsorted(stretches[:, 0], at.columns, side="right") - 1
        places = at.columns - stretches[number, 0] + bases[number]
        rows = np.flatnonzero(np.diff(places, prepend=-1) + np.diff(c.columns, prepend=-1) != 2)
        # Elements behind a row are written later if they belong to rows that follow.
        following = len(places) - np.append(rows[1:], len(places)) if np.all(np.diff(c.columns) == 1) else 0 * rows
        self._copied = 0 if images is None else images.size + lanes * _WIDTHS[0]
        nothing = np.zeros(0, np.int64)
        self._tables = (
            np.add.outer(a.starts, a.rows).reshape(-1), a.columns, np.repeat(at.starts, len(a.rows)), at.rows,
            np.add.outer(c.starts, c.rows).reshape(-1),
            stretches[pieces[:, 0], 0] + pieces[:, 1], bases[pieces[:, 0]] + pieces[:, 1], pieces[:, 2],
            c.columns[rows], places[rows], np.diff(rows, append=len(places)), following,
            *((nothing,) * 3 if images is None else (images.of, images.to, images.counts)),
            np.array([0, 0, 0] if images is None else [self._copied, images.first, images.step]),
        )  # fmt: skip

    def call(self, a: Hashable, b: Hashable, c: Hashable, real: np.dtype[Any], begins: bool = False) -> CompiledCall:
        """Return the call that adds the products, or begins with them; the tensors are contiguous, of these reals."""
        scratch = (Scratch(size * real.itemsize) for size in (self._sums, self._copied))
        return called((_kernel, real.str), (a, b, c, *scratch), (*self._tables, begins))


def are_dense(columns: Array) -> bool:
    """Return whether columns with these offsets lie in stretches with few unused elements."""
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


def _pieces(lengths: Array, lanes: int, *, can_exceed: bool) -> Iterator[tuple[int, int, int]]:
    """Yield pieces that are computed together: number of the stretch, offset in the stretch, number of vectors.

    The last piece of a stretch overlaps the one before it, or exceeds the stretch if ``can_exceed``.
    """
    for number, length in enumerate(lengths.tolist()):
        at, most = 0, length if can_exceed else length // lanes
        while at < length:
            left = -(-(length - at) // lanes)
            vectors = next(width for width in _WIDTHS if width <= min(left, most))
            yield number, at if can_exceed else min(at, length - vectors * lanes), vectors
            at += vectors * lanes


@cache
def _kernel(dtype: str) -> Callable[..., None]:
    """Return the kernel for one type of reals."""
    tile, zero = tile_of(np.dtype(dtype).itemsize), np.dtype(dtype).type(0)
    store, copy_image, multiply, (add, put) = element_store(tile), image_copy(tile), _all_products(tile), _results(tile)

    @inlined
    def kernel(
        a: int, b: int, c: int, totals: int, image: int,
        a_starts: Any, a_inner: Any, b_starts: Any, b_inner: Any, c_starts: Any,
        firsts: Any, spots: Any, widths: Any, to: Any, of: Any, lengths: Any, following: Any,
        image_of: Any, image_to: Any, image_counts: Any, how: Any, begins: int,
    ) -> None:  # fmt: skip
        copied_size, first, step = how[0], how[1], how[2]
        for at in range(copied_size):
            store(image, at, zero)
        for number in range(len(a_starts)):
            start = b_starts[number]
            if not copied_size:
                multiply(a, a_starts[number], a_inner, b, start, b_inner, totals, firsts, spots, widths)
            else:
                if number == 0 or start != b_starts[number - 1]:
                    copy_image(image, b, start, image_of, image_to, image_counts, step)
                multiply(a, a_starts[number], a_inner, image, first, b_inner, totals, firsts, spots, widths)
            for row in range(len(to)):
                target = c_starts[number] + to[row]
                if begins:
                    put(c, target, totals, of[row], lengths[row], following[row])
                else:
                    add(c, target, totals, of[row], lengths[row])

    compiled: Callable[..., None] = kernel
    return compiled


def _all_products(tile: Tile) -> Callable[..., None]:
    """Return a function that computes the sums of all columns."""
    of_eight, of_four, of_two, of_one = (_products(tile, width) for width in _WIDTHS)

    @helper
    def multiply(
        a: int, a_start: int, a_inner: Any, b: int, start: int, b_inner: Any, totals: int,
        firsts: Any, spots: Any, widths: Any,
    ) -> None:  # fmt: skip
        inner = len(a_inner)
        for piece in range(len(firsts)):
            first, spot, width = start + firsts[piece], spots[piece], widths[piece]
            if width == 8:
                of_eight(a, a_start, a_inner, b, first, b_inner, inner, totals, spot)
            elif width == 4:
                of_four(a, a_start, a_inner, b, first, b_inner, inner, totals, spot)
            elif width == 2:
                of_two(a, a_start, a_inner, b, first, b_inner, inner, totals, spot)
            else:
                of_one(a, a_start, a_inner, b, first, b_inner, inner, totals, spot)

    multiplying: Callable[..., None] = multiply
    return multiplying


def _results(tile: Tile) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return functions that add a row of sums to the result, and that begin with it."""
    load, store, lanes, few = element_load(tile), element_store(tile), tile.lanes, min(FEW, tile.lanes)
    (added, copied), (some_added, some_copied) = (
        (_addition(each), vector_copy(each)) for each in (tile, replace(tile, lanes=few))
    )

    @helper
    def add(c: int, target: int, totals: int, place: int, length: int) -> None:
        for at in range(0, length - lanes + 1, lanes):
            added(c, target + at, totals, place + at)
        for at in range(length - length % lanes, length - few + 1, few):
            some_added(c, target + at, totals, place + at)
        for at in range(length - length % few, length):
            store(c, target + at, load(c, target + at) + load(totals, place + at))

    @helper
    def put(c: int, target: int, totals: int, place: int, length: int, following: int) -> None:
        done = 0
        while done < length and done + lanes <= length + following:
            copied(c, target + done, totals, place + done)
            done += lanes
        while done + few <= length:
            some_copied(c, target + done, totals, place + done)
            done += few
        for at in range(done, length):
            store(c, target + at, load(totals, place + at))

    return add, put


def _products(tile: Tile, width: int) -> Callable[..., Any]:
    """Return a function that computes the products of a row with the columns of ``width`` vectors."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    index = ir.IntType(64)

    def products(
        typing: Any, a: Any, a_start: Any, a_inner: Any, b: Any, b_start: Any, b_inner: Any, count: Any,
        to: Any, to_start: Any,
    ) -> Any:  # fmt: skip
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            a, a_start, _, b, b_start, _, count, to, to_start = arguments
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
                place = builder.add(to_start, index(number * tile.lanes))
                store_vector(builder, tile, total, element_at(builder, tile, to, place))
            return context.get_dummy_value()

        number, table = types.int64, types.int64[::1]
        return types.void(number, number, table, number, number, table, number, number, number), code

    return intrinsic(products)


def _addition(tile: Tile) -> Callable[..., Any]:
    """Return a function that adds a vector to elements in a row."""
    from numba import types
    from numba.extending import intrinsic

    def addition(typing: Any, to: Any, to_offset: Any, of: Any, of_offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, to_offset, of, of_offset = arguments
            target = element_at(builder, tile, to, to_offset)
            total = load_vector(builder, tile, element_at(builder, tile, of, of_offset))
            store_vector(builder, tile, builder.fadd(load_vector(builder, tile, target), total), target)
            return context.get_dummy_value()

        return types.void(*(types.int64,) * 4), code

    return intrinsic(addition)
