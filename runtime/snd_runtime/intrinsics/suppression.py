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
    invocation.claim("the corners of 'boxes'", boxes.shape, boxes.dtype)
    lows, highs = _corners(boxes, centered=invocation.attributes["box_format"] == "CENTER")
    found = [np.zeros((0, 3), INT)]
    for item, number in np.ndindex(len(boxes), classes):
        invocation.budget.check_time(invocation.place)
        own = scores[item, number]
        kept = _kept_of(invocation, lows[:, item], highs[:, item], own)
        invocation.claim("'indices'", (len(kept), 3), INT)
        found.append(np.column_stack([np.full(len(kept), item, INT), np.full(len(kept), number, INT), kept]))
    invocation.budget.release(boxes.size, boxes.dtype.itemsize)
    return (np.concatenate(found),)


_FEWEST_AT_ONCE = 512


def _kept_of(invocation: BoundIntrinsic, lows: Array, highs: Array, scores: Array) -> Array:
    """Return the boxes of one class that are kept, by their scores. Mostly they are among the few best ones."""
    threshold, most = invocation.attributes["score_threshold"], invocation.integer("max_outputs_per_class")
    kept = np.zeros(0, INT)
    for visited in (_first_visits(scores, max(2 * most, _FEWEST_AT_ONCE)), None):
        if visited is None:
            visited = descending(scores, 0)
        is_whole = len(visited) == len(scores)
        if threshold is not None:
            good = visited[scores[visited] > threshold]
            is_whole |= len(good) < len(visited)
            visited = good
        with np.errstate(all="ignore"):
            kept = visited[_kept(invocation, lows[:, visited], highs[:, visited])]
        if is_whole or len(kept) >= most:
            break
    return kept


def _first_visits(scores: Array, count: int) -> Array:
    """Return how ``descending`` begins: at least ``count`` indices if there are as many, without sorting the others."""
    if count >= len(scores):
        return descending(scores, 0)
    worst = -np.partition(-scores, count - 1)[count - 1]
    chosen = np.flatnonzero(scores >= worst)
    return np.asarray(chosen[descending(scores[chosen], 0)], INT)


def _kept(invocation: BoundIntrinsic, lows: Array, highs: Array) -> list[int]:
    """Which boxes are kept, of those with these corners ``[2, m]``, which are in the order of visits.

    They are looked at in pieces: mostly as many as may be kept are found in the first.
    """
    most = invocation.integer("max_outputs_per_class")
    corners = tuple(np.ascontiguousarray(each) for each in (*lows, *highs))
    kept: list[int] = []
    count, length = len(corners[0]), max(2 * most, _FEWEST_AT_ONCE)
    for start in range(0, count, length):
        if len(kept) >= most:
            break
        _visit(invocation, corners, slice(start, min(start + length, count)), kept, most)
    return kept


def _visit(invocation: BoundIntrinsic, corners: tuple[Array, ...], piece: slice, kept: list[int], most: int) -> None:
    """Add the boxes of a piece that are kept; ``kept`` are those of the pieces before."""
    limit = invocation.number("iou_threshold")
    low_0, low_1, high_0, high_1 = (each[piece] for each in corners)
    areas = (high_0 - low_0) * (high_1 - low_1)
    left = np.ones(len(areas), BOOL)

    def suppress(box: tuple[Array, ...], others: slice) -> None:
        invocation.budget.check_time(invocation.place)
        sides_0 = np.minimum(box[2], high_0[others]) - np.maximum(box[0], low_0[others])
        sides_1 = np.minimum(box[3], high_1[others]) - np.maximum(box[1], low_1[others])
        common = np.maximum(sides_0, 0) * np.maximum(sides_1, 0)
        area = (box[2] - box[0]) * (box[3] - box[1])
        # Where both areas are 0 this is NaN, which is not more than any limit.
        left[others] &= ~(common / (area + areas[others] - common) > limit)

    for each in kept:
        suppress(tuple(corner[each] for corner in corners), slice(None))
    while len(kept) < most and left.any():
        best = int(np.argmax(left))
        left[best] = False
        kept.append(piece.start + best)
        suppress((low_0[best], low_1[best], high_0[best], high_1[best]), slice(best + 1, None))


def _corners(boxes: Array, *, centered: bool) -> tuple[Array, Array]:
    """Return the lower and the upper corner of boxes, each of extents ``[2, b, n]``."""
    first, second = np.moveaxis(boxes[..., :2], -1, 0), np.moveaxis(boxes[..., 2:], -1, 0)
    if centered:
        first, second = first - second / 2, first + second / 2
    return np.minimum(first, second), np.maximum(first, second)
