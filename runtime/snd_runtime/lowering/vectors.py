"""What numba has no words for: addresses, and vectors of elements, in the language of its compiler."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import Struct


class Tile(Struct, frozen=True):
    """How many rows and columns are computed together, in vectors of so many ``lanes``."""

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
    return builder.load(_wide(builder, tile, place), align=tile.item_bytes)


def store_vector(builder: Any, tile: Tile, value: Any, place: Any) -> None:
    builder.store(value, _wide(builder, tile, place), align=tile.item_bytes)
