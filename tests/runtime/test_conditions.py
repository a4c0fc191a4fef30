"""Demands of TOSA and CVM on elements are checked by evaluation, and reported with operator, index and value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snd_runtime.limits import EvaluationFailed
from support.runtime.invoking import invoker

tosa, cvm = invoker("tosa"), invoker("cvm")
MOST = 2**31 - 1
WINDOW = {"pad": [0] * 4, "stride": [1, 1], "dilation": [1, 1]}
SCALE = {"scale32": True, "out_t": "int32_t"}
ONES = np.ones((1, 1, 1, 3), np.int64)
SIZES = {"stride": [1, 1], "shift": 1, "mode": "NEAREST"}

UNPREDICTABLE: dict[str, tuple[Callable[[], Any], str]] = {
    "add": (lambda: tosa("add", [[1, MOST]], [[0], [1]]), "output[1,1] is 2147483648, but int32_t holds"),
    "sub": (lambda: tosa("sub", [-MOST], [2]), "output[0] is -2147483649"),
    "abs": (lambda: tosa("abs", [3, -MOST - 1]), "output[1] is 2147483648"),
    "negate": (lambda: tosa("negate", [-MOST - 1]), "input1_zp - input1[0] is 2147483648"),
    "shift of int8": (
        lambda: tosa("arithmetic_right_shift", [1], [8], round=False, in_out_t="int8_t"),
        "input2[0] is 8, but shifts are 0 to 7",
    ),
    "negative shift": (lambda: tosa("logical_left_shift", [1], [-1]), "input2[0] is -1, but shifts are 0 to 31"),
    "shift of 32": (lambda: tosa("logical_right_shift", [1], [32]), "input2[0] is 32"),
    "division by 0": (lambda: tosa("intdiv", [4, 5], [2, 0]), "input2[1] is 0, but divisors are not 0"),
    "division of the least": (lambda: tosa("intdiv", [-MOST - 1], [-1]), "output[0] is 2147483648"),
    "mul": (lambda: tosa("mul", [MOST], [8], shift=1), "output[0] is 8589934588, but after the shift, int32_t"),
    "table": (
        lambda: tosa("table", [-32768], np.array([-30000, 30000] + 511 * [0]), in_t="int16_t"),
        "the slope of table[0] is 60000, but slopes are -32768 to 32767",
    ),
    "partial sum": (
        lambda: tosa("reduce_sum", [[1], [MOST], [-5]], axis=0),
        "the partial sum up to input[1,0] is 2147483648",
    ),
    "convolution": (
        lambda: tosa("conv2d", ONES, ONES, [MOST - 2], **WINDOW),
        "the accumulator of output[0,0,0,0] is 2147483648, but int32_t holds",
    ),
    "bias": (lambda: tosa("conv2d", ONES, ONES, [MOST - 1], **WINDOW), "[0,0,0,0] is 2147483649"),
    "depthwise": (
        lambda: tosa("depthwise_conv2d", [[[[0, -1]]]], [[[[0], [-1]]]], [0, MOST], **WINDOW),
        "output[0,0,0,1] is 2147483648",
    ),
    "transposed": (
        lambda: tosa("transpose_conv2d", [[[[1, -1]]]], ONES[..., :2], [MOST], out_pad=[0] * 4, stride=[1, 1]),
        "output[0,0,0,0] is 2147483648",
    ),
    "connected": (lambda: tosa("fully_connected", [[2]], [[-3]], [4 - MOST]), "output[0,0] is -2147483649"),
    "input": (lambda: tosa("conv2d", 128 * ONES, ONES, [0], **WINDOW), "input[0,0,0,0] is 128, but 'in_t' is int8_t, "),
    "weight of 4 bits": (
        lambda: tosa("conv2d", ONES, -8 * ONES, [0], weight_t="int4_t", **WINDOW),
        "weight[0,0,0,0] is -8, but 'weight_t' is int4_t, which holds -7 to 7",
    ),
    "bias of 48 bits": (
        lambda: tosa("conv2d", ONES, ONES, [2**47], in_t="int16_t", **WINDOW),
        "bias[0] is 140737488355328, but 'out_t' is int48_t",
    ),
    "matrix": (lambda: tosa("matmul", [[[1]]], [[[-129]]]), "B[0,0,0] is -129, but 'in_t' is int8_t"),
    "int16": (lambda: tosa("clamp", [1, 2**15], min_val=0, max_val=9), "Input[1] is 32768, but 'in_out_t' is int16_t"),
    "unsigned": (
        lambda: tosa("rescale", [5, -1], [1], [30], in_t="uint8_t", **{**SCALE, "out_t": "int8_t"}),
        "input[1] is -1, but 'in_t' is uint8_t, which holds 0 to 255",
    ),
    "item of a table": (lambda: tosa("table", [0], 255 * [0] + [128]), "table[255] is 128, but 'in_t' is int8_t"),
    "gather": (lambda: tosa("gather", np.ones((1, 2, 1), int), [[1, 2]]), "indices[0,1] is 2, but values has rows 0"),
    "scatter": (lambda: tosa("scatter", np.ones((1, 2, 1), int), [[-1]], [[[5]]]), "indices[0,0] is -1"),
    "scatter twice": (
        lambda: tosa("scatter", np.ones((1, 3, 1), int), [[2, 0, 2]], [[[5], [6], [7]]]),
        "indices[0,2] is 2, but each row is written once",
    ),
    "resize": (
        lambda: tosa("resize", np.ones((1, 2, 2, 1), int), offset=[0, 6], border=[0, 4], **SIZES),
        "ix[0] is 3, but the input has 2 pixels there",
    ),
    "multiplier": (lambda: tosa("rescale", [1], [-1], [9], **SCALE), "multiplier[0] is -1, but multipliers are 0 to"),
    "shift": (lambda: tosa("rescale", [1], [1], [63], **SCALE), "shift[0] is 63, but shifts are 2 to 62"),
    "scaled value": (
        lambda: tosa("rescale", [0, 300], [2**30], [10], **SCALE),
        "input - input_zp[1] is 300, but shift - 2 bits hold its magnitude",
    ),
    "scaled to more than 32 bits": (
        lambda: tosa("rescale", [2**40], [2**14], [2], scale32=False, in_t="int48_t", out_t="int32_t"),
        "the scaled input[0] is 4503599627370496",
    ),
    "CVM": (lambda: cvm("elemwise_add", [0, MOST], [0, 1]), "Y[1] is 2147483648, but a precision of 32 bits ends at"),
    "CVM below": (lambda: cvm("elemwise_sub", [-MOST], [1]), "Y[0] is -2147483648"),
    "CVM input": (lambda: cvm("clip", [4294967296], a_min=0, a_max=5), "X[0] is 4294967296, but a precision of 32"),
    "CVM item of a pack": (lambda: cvm("concatenate", ([1], [-MOST - 1]), axis=0), "I[1][0] is -2147483648"),
    "CVM limit": (lambda: cvm("clip", [7], a_min=MOST + 1, a_max=MOST + 2), "Y[0] is 2147483648"),
    "CVM rank 0": (lambda: cvm("negative", MOST + 1), "X is 2147483648"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNPREDICTABLE)
def test_what_is_unpredictable_is_told_with_operator_index_and_value(name: str):
    run, message = UNPREDICTABLE[name]
    with pytest.raises(EvaluationFailed) as failed:
        run()
    assert failed.value.rule.name == "unpredictable"
    assert "is unpredictable: " in failed.value.message
    assert message in failed.value.message


PREDICTABLE: dict[str, Callable[[], Any]] = {
    "ends of int32": lambda: tosa("add", [MOST - 1, -MOST], [1, -1]),
    "products wrap": lambda: tosa("mul", [MOST], [MOST]),
    "negation of int8 is clipped": lambda: tosa("negate", [-128], in_out_t="int8_t"),
    "slopes that nothing reads": lambda: tosa("table", [0], np.array([-30000, 30000] + 511 * [0]), in_t="int16_t"),
    "shift of 31": lambda: tosa("arithmetic_right_shift", [1], [31], round=True),
    "sums of 48 bits": lambda: tosa("conv2d", 2**15 - ONES, ONES, [2**40], in_t="int16_t", **WINDOW),
    "what padding leaves out": lambda: tosa(
        "conv2d", [[[[1]]]], [[[[1], [1], [1]]]], [MOST - 1], pad=[0, 0, 1, 1], stride=[1, 1], dilation=[1, 1]
    ),
    "a sum that comes back": lambda: tosa("conv2d", ONES, [[[[127, -127, -1]]]], [MOST], **WINDOW),
    "weights of 4 bits": lambda: tosa("conv2d", ONES, -7 * ONES, [0], weight_t="int4_t", **WINDOW),
    "reals of any size": lambda: tosa("clamp", [1e30], min_val=0.0, max_val=1e9),
    "reals": lambda: tosa("add", [1e30], [1e30]),
    "the pixel before the first": lambda: tosa(
        "resize", np.ones((1, 2, 2, 1), int), offset=[-1, -2], border=[0, 0], **SIZES
    ),
    "CVM": lambda: cvm("elemwise_sub", [MOST], [MOST]),
}


@pytest.mark.parametrize("name", PREDICTABLE)
def test_what_is_in_range_has_results(name: str):
    PREDICTABLE[name]()


@pytest.mark.exhaustive
def test_long_sums_overflow():
    low = np.full((1, 1, 2**17), -128)
    with pytest.raises(EvaluationFailed, match=r"the accumulator of output\[0,0,0\] is 2147483648"):
        tosa("matmul", low, low.reshape(1, -1, 1))
    tosa("matmul", low[..., 1:], low[..., 1:].reshape(1, -1, 1))
    most = np.full((1, 257, 256, 1), 2**15 - 1)
    with pytest.raises(EvaluationFailed, match=r"the accumulator of output\[0,0,0,0\] is 2147516413"):
        tosa("avg_pool2d", most, kernel=[257, 256], stride=[1, 1], pad=[0] * 4)
    tosa("avg_pool2d", most[:, 1:], kernel=[256, 256], stride=[1, 1], pad=[0] * 4)


def test_accumulators_are_those_of_the_operators():
    """A type that holds every partial sum but the last shows what the last one is: the result."""
    random = np.random.default_rng(4)
    for name in ("conv2d", "depthwise_conv2d", "transpose_conv2d"):
        x, w = random.integers(0, 9, (1, 4, 4, 2)), random.integers(1, 9, (3, 2, 2, 2))
        attributes: dict[str, Any] = {**WINDOW, "pad": [1, 0, 0, 0], "stride": [2, 1], "dilation": [2, 1]}
        if name == "transpose_conv2d":
            attributes = {"out_pad": [1, 0, 0, 1], "stride": [2, 1]}
        elif name == "depthwise_conv2d":
            w = w[:2]
        bias = random.integers(0, 9, w.shape[-1] * 2 if name == "depthwise_conv2d" else 3)
        result = tosa(name, x, w, bias, **attributes)
        index = np.unravel_index(result.argmax(), result.shape)
        lift = MOST + 1 - result.max()
        with pytest.raises(EvaluationFailed) as failed:
            tosa(name, x, w, bias + lift, **attributes)
        at = ",".join(map(str, index))
        assert f"output[{at}] is 2147483648" in failed.value.message
        tosa(name, x, w, bias + lift - 1, **attributes)


def test_reals_are_stored_in_16_bits():
    """The ends and the middles of `fp16_t` and `bf16_t`; NaN and infinities stay."""
    zero = [0.0]
    for storage, cases in {
        "fp16_t": {
            2049.0: 2048.0, 2051.0: 2052.0, 65519.0: 65504.0, 65520.0: np.inf, 2.0**-25: 0.0, 3 * 2.0**-25: 2.0**-23,
        },
        "bf16_t": {
            257.0: 256.0, 259.0: 260.0, 3.4e38: np.inf, -3.39e38: -(2.0**127) * (2 - 2**-7), 2.0**-134: 0.0,
            3 * 2.0**-134: 2.0**-132,
        },
    }.items():  # fmt: skip
        for given, expected in {**cases, np.inf: np.inf, -np.inf: -np.inf}.items():
            assert tosa("add", [given], zero, in_out_t=storage)[0] == expected, (storage, given)
        assert np.isnan(tosa("add", [np.nan], zero, in_out_t=storage)[0])
        assert np.signbit(tosa("mul", [-0.0], [1.0], in_t=storage)[0])
    assert tosa("add", [2049.0], zero)[0] == 2049.0
    assert tosa("cast", [2**24 + 2**16 + 1], out_t="bf16_t", dtypes=["real"])[0] == 2**24 + 2**17, "rounded once"
