"""The padding of convolutions and pooling, for formats that only pad at the beginning and at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.graph_export.errors import Unsuitable


def batch_first_order(layout: str, rank: int) -> list[int]:
    """Return where batch, channels and space lie in a format such as ``NXC``."""
    space = rank - 2
    places: dict[str, list[int]] = {}
    at = 0
    for letter in layout.replace("B", "N"):
        length = space if letter == "X" else 1
        places[letter] = [*range(at, at + length)]
        at += length
    return [*places["N"], *places["C"], *places["X"]]


def window_padding(call: GraphCall[Any]) -> tuple[list[int], list[int]]:
    """Return the padding of a convolution before and after the elements. Raise Unsuitable."""
    offset, paddings = call.symbol("offset"), call.symbol("paddings")
    return list(offset), [total - first for total, first in zip(paddings, offset, strict=True)]


def pooled_padding(call: GraphCall[Any], axes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the padding of pooling before and after the elements, as far as windows reach. Raise Unsuitable."""
    before, after = declared_padding(call)
    size, stride = call["size"], call["stride"]
    shape = call.known()
    reach = [(width - 1) * step + 1 for width, step in zip(size, call["dilation"], strict=True)]
    output = [getattr(extent, "value", None) for extent in call.output.shape or ()]
    found = list(after)
    for at, axis in enumerate(axes):
        extent, length = output[axis], shape[axis]
        if extent is not None and length is not None:
            found[at] = max((extent - 1) * stride[at] + reach[at] - length - before[at], 0)
        elif call["ceil_mode"] and stride[at] != 1:
            raise Unsuitable("how far the last window reaches is known in the run only")
        if before[at] >= reach[at] or found[at] >= reach[at]:
            raise Unsuitable("a window lies in the padding only")
    return before, found


def declared_padding(call: GraphCall[Any]) -> tuple[list[int], list[int]]:
    """Return the padding of pooling that attributes determine. Raise Unsuitable."""
    if call["padding"] is not None:
        half = len(call["padding"]) // 2
        return list(call["padding"][:half]), list(call["padding"][half:])
    paddings = call.symbol("paddings")
    upper = call["padding_align"] == "UPPER"
    before = [total // 2 if upper else -(-total // 2) for total in paddings]
    return before, [total - first for total, first in zip(paddings, before, strict=True)]
