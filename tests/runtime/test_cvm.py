"""Operators of CVM against NumPy, on cases at random; and the facts with numbers of its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snd_analysis.skriptnd.names import library_names
from snd_runtime.limits import EvaluationFailed
from support.runtime.invoking import invoker, same

ROUNDS = 6
cvm = invoker("cvm")


class Cases:
    """NumPy's results for operands that it draws itself: ``(name, inputs, attributes, expected)``."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def ints(self, *shape: int, low: int = -127, high: int = 128) -> np.ndarray:
        return self.random.integers(low, high, shape)

    def shape(self, rank: int) -> tuple[int, ...]:
        return tuple(int(each) for each in self.random.integers(1, 5, rank))

    def pick(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high))

    def reduction(self, name: str) -> Any:
        rank = self.pick(1, 5)
        x = self.ints(*self.shape(rank))
        axes = [int(each) for each in self.random.permutation(rank)[: self.pick(0, rank + 1)]]
        keep, exclude = bool(self.pick(0, 2)), bool(self.pick(0, 2))
        named = axes or (list(range(rank)) if not exclude else [])
        reduced = tuple(each for each in range(rank) if (each in named) != exclude)
        expected = getattr(np, name)(x, axis=reduced, keepdims=keep) if reduced else x
        if not axes and not keep:
            expected = np.reshape(expected, (1,)) if not exclude else expected
        given = [each - rank if self.pick(0, 2) else each for each in axes]
        return (x,), {"axes": given, "keepdims": keep, "exclude": exclude}, expected

    def broadcast(self, function: Callable[[Any, Any], Any]) -> Any:
        shape = self.shape(self.pick(1, 4))
        a = self.ints(*(1 if self.pick(0, 3) == 0 else each for each in shape))
        b = self.ints(*(1 if self.pick(0, 3) == 0 else each for each in shape[self.pick(0, len(shape)) :]))
        a, b = (a, b) if self.pick(0, 2) else (b, a)
        b = np.where(b == 0, 1, b)
        return (a, b), {}, function(a, b)

    def convolution(self) -> Any:
        depthwise = self.pick(0, 2) == 1
        channels, filters = self.pick(1, 4), self.pick(1, 4)
        padding, stride, dilation = ([self.pick(low, 3) for _ in range(2)] for low in (0, 1, 1))
        x = self.ints(2, channels, self.pick(5, 8), self.pick(5, 8))
        kernel = (self.pick(1, 3), self.pick(1, 4))
        w = self.ints(*((channels, 1) if depthwise else (filters, channels)), *kernel)
        bias = self.ints(w.shape[0])
        padded = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
        (dh, dw), (sh, sw), (kh, kw) = dilation, stride, kernel
        height, width = (
            (padded.shape[2 + at] - dilation[at] * (kernel[at] - 1) - 1) // stride[at] + 1 for at in (0, 1)
        )
        expected = np.zeros((2, w.shape[0], height, width), int) + bias[:, None, None]
        for i in range(kh):
            for j in range(kw):
                part = padded[:, :, i * dh :, j * dw :][:, :, : (height - 1) * sh + 1 : sh, : (width - 1) * sw + 1 : sw]
                if depthwise:
                    expected += part * w[:, 0, i, j][:, None, None]
                else:
                    expected += np.einsum("nchw,oc->nohw", part, w[:, :, i, j])
        given = {"padding": padding, "stride": stride, "dilation": dilation, "groups": channels if depthwise else 1}
        return (x, w, bias), given, expected

    def pooling(self) -> Any:
        size, strides = [self.pick(1, 4) for _ in range(2)], [self.pick(1, 4) for _ in range(2)]
        padding = [self.pick(0, each) for each in size]
        ceil = bool(self.pick(0, 2))
        x = self.ints(1, 2, self.pick(4, 8), self.pick(4, 8))
        room = [x.shape[2 + at] + 2 * padding[at] - size[at] for at in (0, 1)]
        counts = [(-(-room[at] // strides[at]) if ceil else room[at] // strides[at]) + 1 for at in (0, 1)]
        padded = np.pad(x, ((0, 0), (0, 0), (padding[0], 20), (padding[1], 20)))
        expected = np.zeros((1, 2, *counts), int)
        for p, q in np.ndindex(*counts):
            top, left = p * strides[0], q * strides[1]
            expected[:, :, p, q] = padded[:, :, top : top + size[0], left : left + size[1]].max((2, 3))
        return (x,), {"pool_size": size, "padding": padding, "strides": strides, "ceil_mode": ceil}, expected

    def shifted(self, factor: Callable[[Any, int], Any]) -> Any:
        x = self.ints(*self.shape(2), low=-(2**20), high=2**20)
        precision, bits = self.pick(1, 33), self.pick(1, 20)
        limit = 2 ** (precision - 1) - 1
        return (x,), {"precision": precision, "shift_bit": bits}, np.clip(factor(x, bits), -limit, limit)

    def slicing(self) -> Any:
        x = self.ints(*self.shape(self.pick(1, 4)))
        cuts, begin, end, strides = [], [], [], []
        for extent in x.shape:
            step = self.pick(1, 3)
            first = self.pick(0, extent)
            last = self.pick(first + 1, extent + 1)
            cuts.append(slice(first, last, step))
            begin.append(first - extent if self.pick(0, 2) else first)
            end.append(last)
            strides.append(step)
        known = self.pick(0, x.ndim + 1)
        cuts[known:] = [slice(each.start, each.stop) for each in cuts[known:]]
        return (x,), {"begin": begin, "end": end, "strides": strides[:known]}, x[tuple(cuts)]

    def taking(self) -> Any:
        x = self.ints(*self.shape(self.pick(1, 4)))
        indices = self.ints(*self.shape(self.pick(0, 3)), low=-2, high=8)
        axis = self.pick(-x.ndim, x.ndim)
        return (x, indices), {"axis": axis}, np.take(x, np.clip(indices, 0, x.shape[axis] - 1), axis)


def _divided(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


def _halves_up(x: np.ndarray, bits: int) -> np.ndarray:
    return np.floor(x / 2.0**bits + 0.5).astype(int)


FAMILIES: dict[str, Callable[[Cases], Any]] = {
    "sum": lambda cases: cases.reduction("sum"),
    "max": lambda cases: cases.reduction("max"),
    "broadcast_add": lambda cases: cases.broadcast(np.add),
    "broadcast_sub": lambda cases: cases.broadcast(np.subtract),
    "broadcast_mul": lambda cases: cases.broadcast(np.multiply),
    "broadcast_div": lambda cases: cases.broadcast(_divided),
    "broadcast_max": lambda cases: cases.broadcast(np.maximum),
    "Convolution": Cases.convolution,
    "MaxPooling": Cases.pooling,
    "cvm_right_shift": lambda cases: cases.shifted(_halves_up),
    "cvm_left_shift": lambda cases: cases.shifted(lambda x, bits: x * 2**bits),
    "slice": Cases.slicing,
    "strided_slice": Cases.slicing,
    "take": Cases.taking,
}
X = np.random.default_rng(3).integers(-1000, 1000, (2, 3, 4))
Y = np.random.default_rng(4).integers(-1000, 1000, (2, 3, 4))
M = X[0]
ONE_BY_ONE: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "Dense": ((M, Y[1], Y[0, :, 0]), {}, M @ Y[1].T + Y[0, :, 0]),
    "Relu": ((X,), {}, np.maximum(X, 0)),
    "Upsampling": ((X[None],), {"scale": 3}, X[None].repeat(3, 2).repeat(3, 3)),
    "abs": ((X,), {}, np.abs(X)),
    "cvm_precision": ((X,), {}, np.vectorize(lambda each: max(int(abs(each)).bit_length(), 1))(X)),
    "elemwise_add": ((X, Y), {}, X + Y),
    "elemwise_sub": ((X, Y), {}, X - Y),
    "negative": ((X,), {}, -X),
    "clip": ((X,), {"a_min": -19, "a_max": 10}, np.clip(X, -19, 10)),
    "cvm_clip": ((X,), {"precision": 5}, np.clip(X, -15, 15)),
    "repeat": ((X,), {"axis": 1, "repeats": 2}, X.repeat(2, 1)),
    "tile": ((X,), {"reps": [2, 1, 1, 3]}, np.tile(X, (2, 1, 1, 3))),
    "flatten": ((X,), {}, X.ravel()),
    "expand_dims": ((X,), {"axis": -2, "num_newaxis": 2}, X.reshape(2, 3, 1, 1, 4)),
    "reshape": ((X,), {"target_shape": [4, 6]}, X.reshape(4, 6)),
    "squeeze": ((X[:1, :, :1],), {}, X[0, :, 0]),
    "transpose": ((X,), {"axes": [2, 0, -2]}, X.transpose(2, 0, 1)),
    "cvm_lut": ((np.array([[0, 30], [-1, 5]]), X), {}, X.ravel()[[[0, 23], [0, 5]]]),
    "slice_like": ((X, Y[:1, :2]), {"axes": [0, -2]}, X[:1, :2]),
}
OTHERS = {"concatenate", "get_valid_count", "non_max_suppression"}


def test_every_operator_is_compared():
    public = {name for name in library_names("cvm").definitions if not name.startswith("_")}
    assert public == {*FAMILIES, *ONE_BY_ONE, *OTHERS}
    assert len(public) == 36, "the 35 of the text, of which one has two names"


@pytest.mark.parametrize("seed", range(ROUNDS))
@pytest.mark.parametrize("name", FAMILIES)
def test_operator_on_cases_at_random(name: str, seed: int):
    inputs, attributes, expected = FAMILIES[name](Cases(seed))
    same(cvm(name, *inputs, **attributes), expected)


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_operator(name: str):
    inputs, attributes, expected = ONE_BY_ONE[name]
    same(cvm(name, *inputs, **attributes), expected)


def test_scores_above_the_threshold_come_first():
    x = np.random.default_rng(5).integers(0, 100, (3, 6, 4))
    counts, moved = cvm("get_valid_count", x, score_threshold=50)
    for batch, count, rows in zip(x, counts, moved, strict=True):
        valid = [row for row in batch if row[1] > 50]
        same(count, len(valid))
        same(rows, valid + [[-1] * 4] * (6 - len(valid)))


def _overlap(one: np.ndarray, other: np.ndarray) -> int:
    width = max(min(one[4], other[4]) - max(one[2], other[2]), 0)
    height = max(min(one[5], other[5]) - max(one[3], other[3]), 0)
    areas = [(each[4] - each[2]) * (each[5] - each[3]) for each in (one, other)]
    union = sum(areas) - width * height
    return 0 if min(areas) <= 0 or union <= 0 else int(100 * width * height // union)


def _suppressed(rows: np.ndarray, valid: int, threshold: int, most: int, force: bool, top: int) -> list[list[int]]:
    ranked = sorted(rows[:valid], key=lambda row: -row[1])
    kept: list[np.ndarray] = []
    for row in ranked if top < 0 else ranked[:top]:
        rivals = [each for each in kept if force or each[0] == row[0]]
        if row[0] >= 0 and all(_overlap(row, each) < threshold for each in rivals):
            kept.append(row)
    found = kept if most < 0 else kept[:most]
    return [list(row) for row in found] + [[-1] * 6] * (len(rows) - len(found))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_boxes_that_overlap_a_better_one_are_dropped(seed: int):
    random = np.random.default_rng(seed)
    corners = random.integers(0, 12, (2, 9, 2))
    boxes = np.concatenate([corners, corners + random.integers(0, 9, (2, 9, 2))], -1)
    x = np.concatenate([random.integers(-1, 2, (2, 9, 1)), random.integers(0, 20, (2, 9, 1)), boxes], -1)
    valid = random.integers(0, 11, 2)
    given = {
        "iou_threshold": int(random.integers(1, 102)),
        "max_output_size": int(random.integers(-1, 5)),
        "force_suppress": bool(random.integers(0, 2)),
        "top_k": int(random.integers(-1, 9)),
    }
    found = cvm("non_max_suppression", x, valid, **given)
    same(found, [_suppressed(rows, int(count), *given.values()) for rows, count in zip(x, valid, strict=True)])


def test_scalars_become_tensors():
    """Reductions give tensors of rank 0, which other operators take."""
    same(cvm("flatten", np.array(3)), [3])
    same(cvm("reshape", np.array(3), target_shape=[1, 1]), [[3]])
    same(cvm("cvm_lut", [0, 5], np.array(3)), [3, 3])


@pytest.mark.parametrize("begin", [3, 9])
def test_slices_that_begin_behind_the_last_element_are_empty(begin: int):
    with pytest.raises(EvaluationFailed, match="'begin' must be before 'end'"):
        cvm("slice", [0, 1, 2], begin=[begin], end=[9])
    same(cvm("slice", [0, 1, 2], begin=[begin], end=[0], strides=[-1]), [2, 1])


def test_pooling_takes_one_padding_and_any_stride():
    x = np.arange(12).reshape(1, 1, 3, 4)
    both = cvm("MaxPooling", x, pool_size=[2, 3], padding=[1, 1])
    same(cvm("MaxPooling", x, pool_size=[2, 3], padding=[1]), both)
    same(cvm("MaxPooling", x, pool_size=[2, 3], padding=1), both)
    same(cvm("MaxPooling", x, pool_size=[2, 2], strides=[5000, 1]), [[[[5, 6, 7]]]])
    for given, message in (
        ({"padding": [1, 1, 1]}, "one item or two"), ({"strides": [0, 1]}, "must be at least 1"),
        ({"padding": [4096]}, "less than 4096"), ({"padding": [2]}, "greater than those of 'padding'"),
    ):  # fmt: skip
        with pytest.raises(EvaluationFailed, match=message):
            cvm("MaxPooling", x, pool_size=[2, 2], **given)


@pytest.mark.parametrize(
    ("shape", "indices", "axis"),
    [((0,), (0,), None), ((0,), (2, 0), None), ((0, 2), (0,), 0), ((2, 0), (0,), 1), ((0, 0), (3,), 0)],
)
def test_nothing_is_taken_from_an_empty_table(shape: tuple[int, ...], indices: tuple[int, ...], axis: int | None):
    table, at = np.zeros(shape, int), np.zeros(indices, int)
    given = {} if axis is None else {"axis": axis}
    expected = indices if axis is None else (*shape[:axis], *indices, *shape[axis + 1 :])
    assert cvm("take", table, at, **given).shape == expected
    if axis is None:
        assert cvm("cvm_lut", at, table).shape == expected


def test_an_index_needs_an_element():
    with pytest.raises(EvaluationFailed, match="there are indices, but no elements"):
        cvm("take", np.zeros(0, int), np.array([0]))


@pytest.mark.parametrize(
    ("name", "given"),
    [("sum", {"axes": 1}), ("max", {"axes": -1}), ("squeeze", {"axes": 0}), ("tile", {"reps": 2}),
     ("slice", {"begin": 0, "end": 1}), ("strided_slice", {"begin": 0, "end": 1, "strides": 1})],
)  # fmt: skip
def test_one_number_is_a_list_of_one_item(name: str, given: dict[str, int]):
    x = np.arange(6).reshape(1, 2, 3)
    same(cvm(name, x, **given), cvm(name, x, **{key: [value] for key, value in given.items()}))
