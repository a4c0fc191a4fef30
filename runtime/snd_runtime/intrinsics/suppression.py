"""``algo.nonmax_suppress`` (section 4.7)."""

from __future__ import annotations

import numpy as np

from snd_runtime.intrinsics.invocation import Invocation
from snd_runtime.intrinsics.selection import descending
from snd_runtime.lowering.arithmetic import INT, Array
from snd_runtime.lowering.lowered import Argument


def nonmax_suppress(invocation: Invocation) -> tuple[Argument, ...]:
    """The boxes that are kept, as rows of batch item, class and box.

    Boxes are visited by score, equal scores by index and NaN last. Rows are in the order of batch items, then classes,
    then visits.
    """
    boxes, scores = invocation.tensor(0), invocation.tensor(1)
    classes = scores.shape[1]
    threshold = invocation.attributes["score_threshold"]
    invocation.claim("the corners of 'boxes'", boxes.shape, boxes.dtype)
    lows, highs = _corners(boxes, centered=invocation.attributes["box_format"] == "CENTER")
    found = [np.zeros((0, 3), INT)]
    for item, number in np.ndindex(len(boxes), classes):
        own = scores[item, number]
        visited = descending(own, 0)
        if threshold is not None:
            visited = visited[own[visited] > threshold]
        kept = _kept(invocation, lows[item], highs[item], visited)
        invocation.claim("'indices'", (len(kept), 3), INT)
        found.append(np.column_stack([np.full(len(kept), item, INT), np.full(len(kept), number, INT), kept]))
    invocation.budget.release(boxes.size, boxes.dtype.itemsize)
    return (np.concatenate(found),)


def _kept(invocation: Invocation, lows: Array, highs: Array, visited: Array) -> Array:
    """The boxes, of those to be visited in this order, that no box kept before overlaps too much."""
    limit = invocation.number("iou_threshold")
    most = invocation.integer("max_outputs_per_class")
    kept: list[int] = []
    while len(visited) and len(kept) < most:
        invocation.budget.check_time(invocation.place)
        best, visited = visited[0], visited[1:]
        kept.append(int(best))
        overlap = _intersection_over_union(lows[best], highs[best], lows[visited], highs[visited])
        visited = visited[~(overlap > limit)]
    return np.array(kept, INT)


def _corners(boxes: Array, *, centered: bool) -> tuple[Array, Array]:
    """The lower and the upper corner of boxes, each of extents ``[b, n, 2]``."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if centered:
        first, second = first - second / 2, first + second / 2
    return np.minimum(first, second), np.maximum(first, second)


def _intersection_over_union(low: Array, high: Array, lows: Array, highs: Array) -> Array:
    """Of one box and others. Where both areas are 0, it is NaN, which is not more than any threshold."""
    with np.errstate(all="ignore"):
        sides = np.minimum(high, highs) - np.maximum(low, lows)
        common = np.prod(np.maximum(sides, 0), axis=-1)
        union = np.prod(high - low) + np.prod(highs - lows, axis=-1) - common
        return np.asarray(common / union)
