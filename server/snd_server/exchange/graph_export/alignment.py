"""Dimensions of a result that hold those of its operands, by the ``..._align`` attributes of ``math``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.graph_export.tensors import rank_of


def starts_of(call: GraphCall[Any], names: Sequence[str]) -> list[int]:
    """Return the dimension of the result at which each argument begins; ``names`` are the attributes that decide."""
    rank = rank_of(call.output)
    return [_start(call[align], rank - call.rank(at)) for at, align in enumerate(names)]


def _start(align: int | None, last: int) -> int:
    """Return the dimension of the result that a tensor begins at; ``last`` is that where both end together."""
    if align is None:
        return last
    return align if align >= 0 else last + align
