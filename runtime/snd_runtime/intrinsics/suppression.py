"""``algo.nonmax_suppress`` (section 4.7)."""

from __future__ import annotations

import numpy as np

from snd_runtime.intrinsics.invocation import BoundIntrinsic
from snd_runtime.intrinsics.selection import descending
from snd_runtime.lowering.arithmetic import BOOL, INT, Array
from snd_runtime.lowering.lowered import Argument


def nonmax_suppress(invocation: BoundIntrinsic) -> tuple[Argument, ...]:
    """Return the boxes that are kept, as rows of batch item, class and box.

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
        invocation.budget.check_time(invocation.place)
        own = scores[item, number]
        visited = descending(own, 0)
        if threshold is not None:
            visited = visited[own[visited] > threshold]
        with np.errstate(all="ignore"):
            kept = visited[_kept(invocation, lows[:, item, visited], highs[:, item, visited])]
        invocation.claim("'indices'", (len(kept), 3), INT)
        found.append(np.column_stack([np.full(len(kept), item, INT), np.full(len(kept), number, INT), kept]))
    invocation.budget.release(boxes.size, boxes.dtype.itemsize)
    return (np.concatenate(found),)


def _kept(invocation: BoundIntrinsic, lows: Array, highs: Array) -> list[int]:
    """Which boxes are kept, of those with these corners ``[2, m]``, which are in the order of visits."""
    limit = invocation.number("iou_threshold")
    most = invocation.integer("max_outputs_per_class")
    low_0, low_1, high_0, high_1 = (np.ascontiguousarray(each) for each in (*lows, *highs))
    areas = (high_0 - low_0) * (high_1 - low_1)
    left = np.ones(len(areas), BOOL)
    kept: list[int] = []
    while len(kept) < most and left.any():
        invocation.budget.check_time(invocation.place)
        best = int(np.argmax(left))
        kept.append(best)
        left[best] = False
        others = slice(best + 1, None)
        sides_0 = np.minimum(high_0[best], high_0[others]) - np.maximum(low_0[best], low_0[others])
        sides_1 = np.minimum(high_1[best], high_1[others]) - np.maximum(low_1[best], low_1[others])
        common = np.maximum(sides_0, 0) * np.maximum(sides_1, 0)
        # Where both areas are 0 this is NaN, which is not more than any limit.
        overlap = common / (areas[best] + areas[others] - common)
        left[others] &= ~(overlap > limit)
    return kept


def _corners(boxes: Array, *, centered: bool) -> tuple[Array, Array]:
    """Return the lower and the upper corner of boxes, each of extents ``[2, b, n]``."""
    first, second = np.moveaxis(boxes[..., :2], -1, 0), np.moveaxis(boxes[..., 2:], -1, 0)
    if centered:
        first, second = first - second / 2, first + second / 2
    return np.minimum(first, second), np.maximum(first, second)
