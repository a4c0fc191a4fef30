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
_BLOCK = 32
"""Number of boxes that are compared with all others at once."""


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
    """Return the positions of the kept boxes among boxes with these corners ``[2, m]``, in the order of visits.

    Boxes are examined in pieces: the first piece mostly contains as many as may be kept.
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
    """Add the kept boxes of a piece; ``kept`` are the boxes of earlier pieces."""
    left = np.arange(piece.start, piece.stop)
    for start in range(0, len(kept), _BLOCK):
        left = _without_suppressed(invocation, corners, np.array(kept[start : start + _BLOCK]), left)
    while len(kept) < most and len(left):
        first, left = left[:_BLOCK], left[_BLOCK:]
        suppressed = _suppressed(invocation, corners, first, first)
        is_left, chosen = np.ones(len(first), BOOL), []
        for at in range(len(first)):
            if is_left[at]:
                chosen.append(at)
                is_left[at + 1 :] &= ~suppressed[at, at + 1 :]
        kept += first[chosen[: most - len(kept)]].tolist()
        left = _without_suppressed(invocation, corners, first[chosen], left)


def _without_suppressed(invocation: BoundIntrinsic, corners: tuple[Array, ...], boxes: Array, others: Array) -> Array:
    return np.asarray(others[~_suppressed(invocation, corners, boxes, others).any(axis=0)])


def _suppressed(invocation: BoundIntrinsic, corners: tuple[Array, ...], boxes: Array, others: Array) -> Array:
    """Return which of other boxes, in columns, each of some boxes suppresses."""
    invocation.budget.check_time(invocation.place)
    low_0, low_1, high_0, high_1 = (each[boxes, None] for each in corners)
    other_low_0, other_low_1, other_high_0, other_high_1 = (each[others] for each in corners)
    common = np.maximum(np.minimum(high_0, other_high_0) - np.maximum(low_0, other_low_0), 0)
    common *= np.maximum(np.minimum(high_1, other_high_1) - np.maximum(low_1, other_low_1), 0)
    areas = (high_0 - low_0) * (high_1 - low_1) + (other_high_0 - other_low_0) * (other_high_1 - other_low_1)
    # If both areas are 0 this is NaN, which exceeds no limit.
    return np.asarray(common / (areas - common) > invocation.number("iou_threshold"))


def _corners(boxes: Array, *, centered: bool) -> tuple[Array, Array]:
    """Return the lower and the upper corner of boxes, each of extents ``[2, b, n]``."""
    first, second = np.moveaxis(boxes[..., :2], -1, 0), np.moveaxis(boxes[..., 2:], -1, 0)
    if centered:
        first, second = first - second / 2, first + second / 2
    return np.minimum(first, second), np.maximum(first, second)
