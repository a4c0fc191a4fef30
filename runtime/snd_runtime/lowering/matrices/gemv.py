"""Products of matrices with few vectors, as compiled loops, if numba is installed.

The elements of a row, and the elements of a vector, are contiguous. So vectors of registers go along the sum, and each
row is read from memory once, which takes longer than all other work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import numpy as np

from snd_runtime.lowering.compiled.calls import CompiledCall, Scratch, called, elements, inlined
from snd_runtime.lowering.matrices.gemm import Offsets
from snd_runtime.lowering.matrices.vectors import (
    Tile,
    load_vector,
    real_type,
    repeated,
    rows_at,
    sums,
    table_at,
    tile_of,
    total,
)

_ROWS = 4
"""Number of rows that are computed together."""


class FewVectors:
    """Products of matrices in ``a`` and the few columns of ``b``, added to elements of ``c``."""

    def __init__(self, a: Offsets, b: Offsets, c: Offsets, item_bytes: int) -> None:
        rows = np.concatenate([a.rows, np.repeat(a.rows[-1:], -len(a.rows) % _ROWS)])
        self._width = len(b.columns)
        self._tables = (a.starts, rows, b.starts, b.columns, c.starts, c.rows, c.columns, len(a.columns))

    def call(self, a: Hashable, b: Hashable, c: Hashable, real: np.dtype[Any], begins: bool = False) -> CompiledCall:
        """Return the call that adds the products, or begins with them; the tensors are contiguous, of these reals."""
        totals = Scratch(_ROWS * self._width * real.itemsize)
        return called((_kernel, real.str, self._width), (a, b, c, totals), (*self._tables, begins))


@cache
def _kernel(dtype: str, width: int) -> Callable[..., None]:
    """Return the kernel for one type of reals, and so many vectors."""
    reals = elements(np.dtype(dtype).name)
    products = _products(tile_of(np.dtype(dtype).itemsize), width)

    @inlined
    def kernel(
        a: int, b: int, c: int, totals: int,
        a_starts: Any, a_rows: Any, b_starts: Any, b_columns: Any, c_starts: Any, c_rows: Any, c_columns: Any,
        inner: int, begins: int,
    ) -> None:  # fmt: skip
        found, target = reals(totals, _ROWS * width), reals(c, 1)
        for number in range(len(c_starts)):
            for row in range(0, len(c_rows), _ROWS):
                products(a, a_starts[number], a_rows, row, b, b_starts[number], b_columns, inner, found)
                for i in range(min(len(c_rows) - row, _ROWS)):
                    for j in range(width):
                        at, total = c_starts[number] + c_rows[row + i] + c_columns[j], found[i * width + j]
                        target[at] = total if begins else target[at] + total

    compiled: Callable[..., None] = kernel
    return compiled


def _products(tile: Tile, width: int) -> Callable[..., Any]:
    """Return a function that computes the products of some rows with all vectors, in sums of at least one vector."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    index, lanes = ir.IntType(64), tile.lanes
    zero = ir.Constant(ir.VectorType(real_type(tile), lanes), [0.0] * lanes)
    positions = ir.Constant(ir.VectorType(index, lanes), [*range(lanes)])

    def products(
        typing: Any, a: Any, a_start: Any, rows: Any, row: Any, b: Any, b_start: Any, columns: Any, count: Any, to: Any
    ) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            a, a_start, _, row, b, b_start, _, count, _ = arguments
            tables = [table_at(context, builder, signature, arguments, at) for at in (2, 6, 8)]
            of_rows = rows_at(builder, tile, a, a_start, tables[0], row, _ROWS)
            of_columns = rows_at(builder, tile, b, b_start, tables[1], index(0), width)

            def multiplied(at: Any) -> list[Any]:
                left, right = (
                    [load_vector(builder, tile, builder.gep(place, [at])) for place in places]
                    for places in (of_rows, of_columns)
                )
                return [builder.fmul(one, other, flags=("contract",)) for one in left for other in right]

            whole = builder.mul(builder.sdiv(count, index(lanes)), index(lanes))
            added = sums(builder, tile, whole, lanes, multiplied)
            # The last vector overlaps the one before it: elements already added are masked.
            first = builder.sub(index(lanes), builder.sub(count, whole))
            is_new = builder.icmp_signed(">=", positions, repeated(builder, first, lanes))
            last = multiplied(builder.sub(count, index(lanes)))
            for at, (one, product) in enumerate(zip(added, last, strict=True)):
                found = total(builder, builder.fadd(one, builder.select(is_new, product, zero)), lanes)
                builder.store(found, builder.gep(tables[2], [index(at)]))
            return context.get_dummy_value()

        number, table = types.int64, types.int64[::1]
        return types.void(number, number, table, number, number, number, table, number, to), code

    return intrinsic(products)
