"""Results of intrinsics, by plain loops over elements."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np


def top_k(x: Any, k: int, axis: int, largest: bool) -> tuple[Any, Any]:
    """Pick the best element that is not picked yet, ``k`` times; NaN is worse than any number."""
    lines = np.moveaxis(x, axis, -1)
    count = min(k, lines.shape[-1])
    values = np.zeros((*lines.shape[:-1], count))
    indices = np.zeros(values.shape, np.int64)
    for at in np.ndindex(*lines.shape[:-1]):
        left = list(range(lines.shape[-1]))
        for place in range(count):
            best = left[0]
            for other in left[1:]:
                a, b = float(lines[at][other]), float(lines[at][best])
                if (math.isnan(b) and not math.isnan(a)) or (a > b if largest else a < b):
                    best = other
            left.remove(best)
            values[(*at, place)], indices[(*at, place)] = lines[at][best], best
    return np.moveaxis(values, -1, axis), np.moveaxis(indices, -1, axis)


def nonmax_suppress(boxes: Any, scores: Any, iou: float, most: int, least_score: float | None, form: str) -> Any:
    """Ask of every box, in the order of the scores, whether a box kept before overlaps it."""
    rows = []
    for item, number in product(range(scores.shape[0]), range(scores.shape[1])):
        kept: list[int] = []
        for box in sorted(range(scores.shape[2]), key=lambda each: (-scores[item, number, each], each)):
            if len(kept) == most or (least_score is not None and not scores[item, number, box] > least_score):
                continue
            if not any(_overlap(boxes[item, box], boxes[item, other], form) > iou for other in kept):
                kept.append(box)
        rows += [[item, number, box] for box in kept]
    return np.array(rows, np.int64).reshape(-1, 3)


def _overlap(a: Any, b: Any, form: str) -> float:
    common = area_a = area_b = 1.0
    for side in range(2):
        low_a, high_a = _side(a, side, form)
        low_b, high_b = _side(b, side, form)
        common *= max(0.0, min(high_a, high_b) - max(low_a, low_b))
        area_a *= high_a - low_a
        area_b *= high_b - low_b
    union = area_a + area_b - common
    return common / union if union else 0.0


def _side(box: Any, side: int, form: str) -> tuple[float, float]:
    first, second = float(box[side]), float(box[side + 2])
    if form == "CENTER":
        first, second = first - second / 2, first + second / 2
    return min(first, second), max(first, second)


def roi_pool(images: Any, rois: Any, index: Any, size: Any, mean: bool) -> Any:
    """Collect the elements of each cell."""
    d = images.ndim - 2
    result = np.zeros((len(rois), images.shape[1], *size))
    for region, channel, *cell in product(*map(range, result.shape)):
        ranges = []
        for side in range(d):
            begin, end = _rounded(rois[region, side]), _rounded(rois[region, d + side])
            step = (end - begin) // size[side]
            start = begin + cell[side] * step
            stop = start + math.ceil((end - begin) / size[side])
            ranges.append([at for at in range(start, stop) if 0 <= at < images.shape[2 + side]])
        elements = [float(images[(index[region], channel, *at)]) for at in product(*ranges)]
        if mean:
            pooled = sum(elements) / len(elements) if elements else math.nan
        else:
            pooled = max(elements) if elements else -math.inf
        result[(region, channel, *cell)] = pooled
    return result


def _rounded(value: float) -> int:
    return int(math.copysign(math.floor(abs(value) + 0.5), value))
