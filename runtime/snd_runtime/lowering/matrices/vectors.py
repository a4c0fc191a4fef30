"""Addresses and vectors of elements in LLVM's language, which numba itself cannot express."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from msgspec import Struct


class Tile(Struct, frozen=True):
    """Number of rows and columns that are computed together, in vectors of ``lanes`` elements."""

    rows: int
    """A multiple of three: the last tile has a third of the rows, two thirds, or all."""
    vectors: int
    lanes: int
    item_bytes: int

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.vectors * self.lanes


@cache
def tile_of(item_bytes: int) -> Tile:
    """Return the tile whose sums fill the registers of this machine."""
    from llvmlite.binding import get_host_cpu_features

    features = get_host_cpu_features()
    if features.get("avx512f"):
        return Tile(12, 2, 64 // item_bytes, item_bytes)
    return Tile(6, 2, (32 if features.get("avx2") else 16) // item_bytes, item_bytes)


def real_type(tile: Tile) -> Any:
    """Return the type of the elements."""
    from llvmlite import ir

    return ir.FloatType() if tile.item_bytes == 4 else ir.DoubleType()


def element_at(builder: Any, tile: Tile, address: Any, offset: Any) -> Any:
    """Return a pointer to the element at an offset from an address."""
    return builder.gep(builder.inttoptr(address, real_type(tile).as_pointer()), [offset])


def table_at(context: Any, builder: Any, signature: Any, arguments: Any, at: int) -> Any:
    """Return a pointer to the first number of a table."""
    from numba.core import cgutils

    proxy: Any = cgutils.create_struct_proxy
    return proxy(signature.args[at])(context, builder, arguments[at]).data


def _wide(builder: Any, tile: Tile, place: Any) -> Any:
    from llvmlite import ir

    return builder.bitcast(place, ir.VectorType(real_type(tile), tile.lanes).as_pointer())


def load_vector(builder: Any, tile: Tile, place: Any) -> Any:
    """Return the vector that begins at a pointer."""
    return builder.load(_wide(builder, tile, place), align=tile.item_bytes)


def store_vector(builder: Any, tile: Tile, value: Any, place: Any) -> None:
    """Write the vector that begins at a pointer."""
    builder.store(value, _wide(builder, tile, place), align=tile.item_bytes)


def rows_at(builder: Any, tile: Tile, address: Any, start: Any, offsets: Any, first: Any, count: int) -> list[Any]:
    """Return pointers to the first elements of rows, whose offsets stand in a table from position ``first`` on."""
    from llvmlite import ir

    places = [builder.gep(offsets, [builder.add(first, ir.IntType(64)(i))]) for i in range(count)]
    return [element_at(builder, tile, address, builder.add(start, builder.load(place))) for place in places]


def repeated(builder: Any, value: Any, lanes: int) -> Any:
    """Return a vector of the same value."""
    from llvmlite import ir

    nothing = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.IntType(32)(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes))


def lanes_from(builder: Any, tile: Tile, lane: Any) -> Any:
    """Return which lanes of a vector are this one or later ones."""
    from llvmlite import ir

    number = ir.IntType(32)
    positions = ir.Constant(ir.VectorType(number, tile.lanes), [*range(tile.lanes)])
    return builder.icmp_signed(">=", positions, repeated(builder, builder.trunc(lane, number), tile.lanes))


def transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the columns of a square of as many vectors as a vector has lanes."""
    from llvmlite import ir

    lanes = len(rows)
    distance, found = lanes // 2, [*rows]
    while distance:
        taken = [lane if not lane & distance else lanes + lane - distance for lane in range(lanes)]
        others = [lane + distance if not lane & distance else lanes + lane for lane in range(lanes)]
        masks = [ir.Constant(ir.VectorType(ir.IntType(32), lanes), each) for each in (taken, others)]
        for at in range(lanes):
            if not at & distance:
                pair = found[at], found[at + distance]
                found[at], found[at + distance] = (builder.shuffle_vector(*pair, mask) for mask in masks)
        distance //= 2
    return found


def sums(builder: Any, tile: Tile, end: Any, step: int, products: Callable[[Any], list[Any]]) -> list[Any]:
    """Return sums of products, which are vectors, over a position that counts from 0 to ``end``.

    ``products`` writes them for a position. They stay in registers. The loop has at least one round.
    """
    from llvmlite import ir

    index, vector = ir.IntType(64), ir.VectorType(real_type(tile), tile.lanes)
    before, loop, done = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    position = builder.phi(index)
    found = products(position)
    with builder.goto_block(loop):
        builder.position_after(position)
        totals = [builder.phi(vector) for _ in found]
    added = [builder.fadd(total, each, flags=("contract",)) for total, each in zip(totals, found, strict=True)]
    for total, each in zip(totals, added, strict=True):
        total.add_incoming(ir.Constant(vector, [0.0] * tile.lanes), before)
        total.add_incoming(each, loop)
    following = builder.add(position, index(step))
    position.add_incoming(index(0), before)
    position.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, end), loop, done)
    builder.position_at_end(done)
    return added


def total(builder: Any, vector: Any, lanes: int) -> Any:
    """Return the sum of the elements of a vector; their number is a power of two."""
    from llvmlite import ir

    while lanes > 1:
        lanes //= 2
        halves = (
            builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), lanes), [*each]))
            for each in (range(lanes), range(lanes, 2 * lanes))
        )
        vector = builder.fadd(*halves)
    return builder.extract_element(vector, ir.IntType(32)(0))
