"""Facts with numbers that the texts of TOSA, CVM and TenniS state, or that follow from their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.limits import EvaluationFailed
from support.memory import check
from support.runtime.invoking import invoker

tosa, cvm, tennis = invoker("tosa"), invoker("cvm"), invoker("tennis")
RECIPROCALS = {
    1: (1073741825, 30), 2: (1073741825, 31), 3: (1431655766, 32), 5: (1717986920, 33), 7: (1227133514, 33),
    9: (1908874355, 34), 25: (1374389536, 35), 49: (1402438302, 36),
}  # fmt: skip


def scaled(values: list[int], multiplier: int, shift: int, **attributes: Any) -> list[int]:
    found = tosa("rescale", values, [multiplier], [shift], out_t="int32_t", **{"scale32": True, **attributes})
    return [int(each) for each in found]


# ---- TOSA ------------------------------------------------------------------------------------------------------------
def test_scales_of_one_change_nothing():
    values = [0, 1, -1, 2**28 - 1, -(2**28)]
    assert scaled(values, 2**30, 30) == values
    assert scaled(values, 2**14, 14, scale32=False) == values


def test_scales_round_half_up_and_twice_if_asked_to():
    assert scaled([3, -4, 4], 2**30, 33) == [0, 0, 1]
    assert scaled([3, -4, 4], 2**30, 33, double_round=True) == [1, -1, 1]
    assert scaled([-3, -1, 1, 3], 2**30, 31) == [-1, 0, 1, 2]


@pytest.mark.parametrize("count", RECIPROCALS)
def test_means_are_scaled_by_the_reciprocals_of_the_text(count: int):
    multiplier, shift = RECIPROCALS[count]
    x = np.random.default_rng(count).integers(-(2**15), 2**15, (1, 1, count, 50))
    mean = tosa("avg_pool2d", x, kernel=[1, count], stride=[1, 1], pad=[0] * 4).reshape(-1)
    assert mean.tolist() == [(int(each) * multiplier + (1 << (shift - 1))) >> shift for each in x.sum((0, 1, 2))]


def test_means():
    def mean(*values: int) -> int:
        x = np.array(values).reshape(1, 1, -1, 1)
        return tosa("avg_pool2d", x, kernel=[1, len(values)], stride=[1, 1], pad=[0] * 4).item()

    assert (mean(10, 11), mean(-10, -11), mean(10, 10, 11)) == (11, -11, 10)


def test_tables_of_sigmoid_and_tanh():
    def table(name: str, step: int, at: list[int]) -> list[int]:
        found = np.round(tosa(name, np.array(at) / step) * 32768)
        return [int(each) for each in np.clip(found, -32768, 32767)]

    assert table("sigmoid", 16, [-256, -128, -16, -1, 0, 1, 16, 128, 256]) == [
        0, 11, 8813, 15872, 16384, 16896, 23955, 32757, 32767,
    ]  # fmt: skip
    assert table("tanh", 32, [-256, -128, -32, -1, 0, 1, 32, 128, 256]) == [
        -32768, -32746, -24956, -1024, 0, 1024, 24956, 32746, 32767,
    ]  # fmt: skip


def test_bits():
    assert tosa("clz", [0, 1, -1]).tolist() == [32, 31, 0]
    assert tosa("arithmetic_right_shift", [5, -5], [1, 1], round=True).tolist() == [3, -2]


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("size", [2, 5, 8])
def test_upscaled_sizes(k: int, size: int):
    attributes = {"stride": [1, 1], "offset": [0, 0], "border": [0, 0], "shift": k, "mode": "NEAREST"}
    assert tosa("resize", np.ones((1, size, 1, 1), int), **attributes).shape[1] == (size - 1) * 2**k + 1


ACCUMULATORS = {
    "8x8": (33025, "tosa.fully_connected{input_zp=-128, weight_zp=-128}"),
    "8x8 without a zero point of weights": (65793, "tosa.fully_connected{input_zp=-128}"),
    "8x4": (1203072, "tosa.fully_connected{input_zp=-128, weight_t='int4_t'}"),
    "16x8": (2**25, "tosa.fully_connected{in_t='int16_t'}"),
}


@pytest.mark.parametrize("name", ACCUMULATORS)
def test_how_many_products_an_accumulator_holds(name: str):
    most, invocation = ACCUMULATORS[name]
    if name == "16x8":  # (2^47 - 1) // (2^15 * 2^7): one less than the power
        most = (2**47 - 1) // 2**22
    for count, expected in ((most, []), (most + 1, ["possible-overflow"])):
        text = f"""import tosa;
graph g {{
    @input {{ x: int[1,{count}]; }}
    @variable {{ w: int[1,{count}]; b: int[1]; }}
    @output {{ y: int[1,1]; }}
    @compose {{ y = {invocation}(x, w, b); }}
}}
"""
        assert [found.rule.name for found in check({"main.sknd": text})["main.sknd"]] == expected, count


# ---- CVM -------------------------------------------------------------------------------------------------------------
def test_cvm():
    data = [[[1, 2], [2, 3], [1, 3]], [[1, 4], [4, 3], [5, 2]], [[7, 1], [7, 2], [7, 3]]]
    assert cvm("sum", data, axes=[1]).tolist() == [[4, 8], [10, 9], [21, 6]]
    assert cvm("sum", data, axes=[1, 2]).tolist() == [12, 19, 27]
    assert cvm("broadcast_add", np.ones((2, 3), int), [[0], [1]]).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert cvm("cvm_right_shift", [-3, 3], precision=32, shift_bit=1).tolist() == [-1, 2]
    assert cvm("cvm_right_shift", [5, -19], precision=2, shift_bit=2).tolist() == [1, -1]
    assert cvm("cvm_precision", [0, 1, -3, 4]).tolist() == [1, 1, 2, 3]
    scores = np.array([[[0, score] for score in (50, 90, 70, 5, 60)]])
    assert cvm("get_valid_count", scores, score_threshold=10)[0].tolist() == [4]


def test_boxes_overlap_by_68_percent():
    boxes = [[[0, 90, 0, 0, 10, 10], [0, 80, 1, 1, 11, 11]]]
    kept = [(cvm("non_max_suppression", boxes, [2], iou_threshold=most)[0, :, 0] >= 0).sum() for most in (68, 69)]
    assert kept == [1, 2]


# ---- TenniS ----------------------------------------------------------------------------------------------------------
def test_shapes_of_tennis():
    image = np.zeros((1, 64, 48, 3))
    assert tennis("resize2d", image, size=[-1, 30, 30, -1]).shape == (1, 30, 30, 3)
    assert tennis("transpose", image, permute=[0, 3, 1, 2]).shape == (1, 3, 64, 48)
    assert tennis("dimshuffle", np.zeros((30, 30, 3)), dim=2, shuffle=[2, 1, 0]).shape == (30, 30, 3)
    assert tennis("dimshuffle", np.zeros((10, 10, 1)), dim=2, shuffle=[0, 0, 0]).shape == (10, 10, 3)
    assert tennis("flatten", np.zeros((1, 20, 3, 3))).shape == (1, 180)
    assert tennis("add", np.zeros((10, 10)), np.zeros((10, 1))).shape == (10, 10)
    pooled = tennis("pooling2d", np.zeros((1, 1, 8, 8)), padding=[0] * 8, ksize=[1, 1, 3, 3], stride=[1, 1, 2, 2])
    convolved = tennis("conv2d", np.zeros((1, 1, 8, 8)), np.zeros((1, 1, 3, 3)), padding=[0] * 8, stride=[1, 1, 2, 2])
    assert (pooled.shape[2], convolved.shape[2]) == (4, 3)


@pytest.mark.parametrize(
    ("name", "shape", "attributes"),
    [
        ("resize2d", (4, 4, 3), {"size": [-1, -1, 3]}),
        ("resize2d", (4, 4, 3), {"size": [400, -1, 300]}),
        ("reshape", (4, 2700), {"shape": [-1, 300, 300, 3]}),
    ],
)
def test_what_is_no_shape_of_tennis(name: str, shape: tuple[int, ...], attributes: dict[str, Any]):
    with pytest.raises(EvaluationFailed):
        tennis(name, np.zeros(shape), **attributes)
