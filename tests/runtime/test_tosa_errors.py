"""Every error condition of the text of TOSA (`ERROR_IF`, attributes outside of their types) is told in its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_analysis.skriptnd.names import library_names
from snd_runtime.limits import EvaluationFailed
from support.runtime.invoking import invoker

tosa = invoker("tosa")


def ints(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


def reals(*shape: int) -> np.ndarray:
    return np.zeros(shape)


def bools(*shape: int) -> np.ndarray:
    return np.zeros(shape, bool)


Given = tuple[tuple[Any, ...], dict[str, Any]]
WINDOW = {"pad": [0] * 4, "stride": [1, 1], "dilation": [1, 1]}
POOL = {"kernel": [2, 2], "stride": [1, 1], "pad": [0] * 4}
RESIZE = {"stride": [1, 1], "offset": [0, 0], "border": [0, 0], "shift": 1, "mode": "NEAREST"}
VALID: dict[str, Given] = {
    "argmax": ((ints(2, 3),), {"axis": 1}),
    "avg_pool2d": ((ints(1, 3, 3, 1),), POOL),
    "max_pool2d": ((ints(1, 3, 3, 1),), POOL),
    "conv2d": ((ints(1, 3, 3, 2), ints(4, 2, 2, 2), ints(4)), WINDOW),
    "conv3d": (
        (ints(1, 3, 3, 3, 1), ints(1, 2, 2, 2, 1), ints(1)),
        {"pad": [0] * 6, "stride": [1] * 3, "dilation": [1] * 3},
    ),
    "depthwise_conv2d": ((ints(1, 3, 3, 2), ints(2, 2, 2, 1), ints(2)), WINDOW),
    "transpose_conv2d": ((ints(1, 3, 3, 2), ints(4, 2, 2, 2), ints(4)), {"out_pad": [0] * 4, "stride": [1, 1]}),
    "fft2d": ((reals(1, 2, 4), reals(1, 2, 4)), {}),
    "rfft2d": ((reals(1, 2, 4),), {}),
    "fully_connected": ((ints(1, 2), ints(3, 2), ints(3)), {}),
    "matmul": ((ints(1, 2, 3), ints(1, 3, 2)), {}),
    "clamp": ((ints(2),), {"min_val": 0, "max_val": 0}),
    "add": ((ints(2, 3), ints(2, 1)), {}),
    "pow": ((reals(2), reals(1)), {}),
    "mul": ((ints(2), ints(2)), {"shift": 63}),
    "table": ((ints(2), ints(256)), {}),
    "negate": ((ints(2),), {"in_out_t": "int8_t", "input1_zp": -128, "output_zp": 127}),
    "select": ((bools(2, 2), ints(1, 2), ints(2, 1)), {}),
    "reduce_all": ((bools(2, 2),), {"axis": 1}),
    "reduce_any": ((bools(2, 2),), {"axis": 1}),
    "reduce_max": ((ints(2, 2),), {"axis": 1}),
    "reduce_min": ((ints(2, 2),), {"axis": 1}),
    "reduce_product": ((reals(2, 2),), {"axis": 1}),
    "reduce_sum": ((ints(2, 2),), {"axis": 1}),
    "concat": (((ints(2, 2), ints(2, 2)),), {"axis": 0}),
    "pad": ((ints(2),), {"padding": [0, 1]}),
    "reshape": ((ints(2, 3),), {"new_shape": [6]}),
    "reverse": ((ints(2, 2),), {"axis": 1}),
    "slice": ((ints(3, 3),), {"start": [0, 2], "size": [3, 1]}),
    "tile": ((ints(2),), {"multiples": [2]}),
    "transpose": ((ints(2, 3),), {"perms": [1, 0]}),
    "resize": ((ints(1, 2, 2, 1),), RESIZE),
    "cast": ((ints(2),), {"out_t": "int8_t"}),
    "rescale": ((ints(2, 3), [1], [2]), {"scale32": True}),
    "const": ((), {"values": [1, 2], "shape": [2]}),
}
AXIS = [({"axis": 2}, "must be at least 0 and less than 2"), ({"axis": -1}, "must be at least 0 and less than 2")]
NARROW = {"in_t": "int16_t"}
POINTS = [
    ({**NARROW, "input_zp": 1}, "'input_zp' must be 0 for all types but int8_t"),
    ({"weight_t": "int4_t", "weight_zp": 1}, "'weight_zp' must be 0 for all types but int8_t"),
    ({"input_zp": 128}, "'input_zp' must be -128 to 127"),
    ({"weight_zp": -129}, "'weight_zp' must be -128 to 127"),
    ({"in_t": "int16_t", "weight_t": "int16_t"}, "no such combination"),
    ({"out_t": "int48_t"}, "no such combination"),
]


def _each(name: str, items: int, value: int, message: str) -> list[tuple[dict[str, Any], str]]:
    """The attribute with one item that is wrong, at each place."""
    usual = 0 if "pad" in name else 1
    return [({name: [value if at == wrong else usual for at in range(items)]}, message) for wrong in range(items)]


NEGATIVE, LEAST = "must not be negative", "must be at least 1"
POOLS = [
    *_each("kernel", 2, 0, LEAST), *_each("stride", 2, 0, LEAST), *_each("pad", 4, -1, NEGATIVE),
    *_each("pad", 4, 2, "padding must be less than the kernel"),
    *_each("stride", 2, 2, "cover the padded input exactly"),
    ({"kernel": [4, 2]}, "must not be smaller than the kernel"), ({"in_out_t": "int32_t"}, "must be a storage type"),
]  # fmt: skip
CONVOLUTIONS = [
    *POINTS, *_each("pad", 4, -1, NEGATIVE), *_each("stride", 2, 0, LEAST), *_each("dilation", 2, 0, LEAST),
    *_each("stride", 2, 2, "cover the padded input exactly"),
    ({"dilation": [3, 1]}, "must not be smaller than the dilated"),
]  # fmt: skip
WRONG: dict[str, list[tuple[dict[str, Any], str]]] = {
    "argmax": AXIS,
    "avg_pool2d": [
        *POOLS, ({"input_zp": 1}, "must be 0 for all types"), ({"output_zp": 1}, "must be 0 for all types"),
        ({"in_out_t": "int8_t", "input_zp": 128}, "-128 to 127"),
        ({"in_out_t": "int8_t", "output_zp": -129}, "-128 to 127"),
    ],
    "max_pool2d": POOLS,
    "conv2d": CONVOLUTIONS,
    "depthwise_conv2d": CONVOLUTIONS,
    "conv3d": [
        *POINTS, *_each("pad", 6, -1, NEGATIVE), *_each("stride", 3, 0, LEAST), *_each("dilation", 3, 0, LEAST),
        *_each("stride", 3, 2, "cover the padded input exactly"),
    ],
    "transpose_conv2d": [
        *POINTS, *_each("out_pad", 4, -1, NEGATIVE), *_each("stride", 2, 0, LEAST),
        ({"out_shape": [1, 5, 4, 4]}, "'out_shape' must be"), ({"out_shape": [1, 4, 3, 4]}, "'out_shape' must be"),
        ({"out_pad": [4, 0, 0, 0]}, "must not be empty"),
    ],
    "fully_connected": POINTS,
    "matmul": [
        ({**NARROW, "A_zp": 1}, "must be 0 for all types"), ({**NARROW, "B_zp": 1}, "must be 0 for all types"),
        ({"A_zp": 128}, "-128 to 127"), ({"B_zp": -129}, "-128 to 127"), ({"out_t": "int48_t"}, "no such combination"),
    ],
    "clamp": [
        ({"min_val": 1}, "must not be less than 'min_val'"), ({"max_val": 32768}, "must be values of int16_t"),
        ({"in_out_t": "int8_t", "min_val": -129}, "must be values of int8_t"),
        ({"in_out_t": "int32_t"}, "storage type"),
    ],
    "mul": [
        ({"in_t": "int16_t", "shift": 1}, "only int32 products"), ({"shift": 64}, "less than 64"),
        ({"shift": -1}, "at least 0"),
    ],
    "table": [({"in_t": "int16_t"}, "must have 256 items for int8_t, and 513")],
    "negate": [
        ({"in_out_t": "int16_t", "output_zp": 0}, "must be 0 for all types"),
        ({"in_out_t": "int32_t", "input1_zp": 0}, "must be 0 for all types"), ({"output_zp": 128}, "-128 to 127"),
    ],
    **dict.fromkeys(
        ("reduce_all", "reduce_any", "reduce_max", "reduce_min", "reduce_product", "reduce_sum", "reverse"), AXIS
    ),
    "concat": [({"axis": 2}, "'axis' of 'tosa.concat' is 2"), ({"axis": -1}, "must be at least 0 and less than 2")],
    "pad": [({"padding": [0, -1]}, NEGATIVE), ({"padding": [0, 0, 0, 0]}, "but this has 4 items")],
    "reshape": [({"new_shape": [5]}, "as many elements"), ({"new_shape": [-1, 3]}, NEGATIVE)],
    "slice": [
        ({"start": [0]}, "but this has 1 item"), ({"start": [-1, 0]}, NEGATIVE), ({"size": [0, 1]}, "must be positive"),
        ({"size": [1, 2]}, "must be within the tensor"),
    ],
    "tile": [({"multiples": [-1]}, NEGATIVE), ({"multiples": [1, 1]}, "but this has 2 items")],
    "transpose": [
        ({"perms": [0, 2]}, "less than 2"), ({"perms": [-1, 0]}, "at least 0"),
        ({"perms": [1, 1]}, "different dimensions"),
    ],
    "resize": [
        *_each("stride", 2, 0, "must be positive"), *_each("stride", 2, 32, "must be less than 32"),
        ({"offset": [32, 0]}, "must be within -32 and 32"), ({"offset": [0, -32]}, "must be within -32 and 32"),
        ({"shift": 0}, "must be 1 to 11"), ({"shift": 12}, "must be 1 to 11"),
        ({"output_size": [3, 4]}, "'output_size' must be"),
        ({"border": [16381, 0]}, "less than 16384"), ({"border": [-3, 0]}, "must not be empty"),
        ({"mode": "CUBIC"}, "'mode'"),
    ],
    "cast": [({"out_t": "int32_t"}, "no such combination"), ({"out_t": "int48_t"}, "must be a storage type")],
    "rescale": [
        ({**NARROW, "input_zp": 1}, "must be 0 for int16_t"),
        ({"out_t": "int32_t", "output_zp": 1}, "must be 0 for int32_t"),
        ({"in_t": "uint16_t", "out_t": "int16_t", "input_zp": 1}, "must be 0 or 32768"),
        ({**NARROW, "out_t": "uint16_t", "output_zp": 1}, "must be 0 or 32768"), ({"in_t": "int48_t"}, "must be false"),
        ({"scale32": False, "double_round": True}, "needs 'scale32'"), ({"per_channel": True}, "must have 3 items"),
        ({"in_t": "uint8_t", "input_zp": 256}, "must be a value of uint8_t"),
        ({"output_zp": 128}, "must be a value of int8_t"),
        ({"in_t": "int32_t", "out_t": "uint8_t"}, "no such combination"),
    ],
    "const": [({"shape": [3]}, "as many items"), ({"shape": [-1, -2]}, NEGATIVE)],
}  # fmt: skip
INPUTS: list[tuple[str, tuple[Any, ...], str]] = [
    ("argmax", (ints(1, 1, 1, 1, 1),), "must be 1 to 4"), ("argmax", (ints(),), "has no dimensions"),
    ("avg_pool2d", (ints(3, 3, 1),), "rank 4"),
    ("conv2d", (ints(1, 3, 3, 1), ints(4, 2, 2, 2), ints(4)), "extent 'IC'"),
    ("conv2d", (ints(1, 3, 3, 2), ints(4, 2, 2, 2), ints(1)), "extent 'OC'"),
    ("fft2d", (reals(1, 3, 2), reals(1, 3, 2)), "powers of two"),
    ("fft2d", (reals(1, 2, 3), reals(1, 2, 3)), "powers of two"),
    ("rfft2d", (reals(1, 6, 2),), "powers of two"), ("rfft2d", (reals(1, 2, 3),), "powers of two"),
    ("matmul", (ints(1, 2, 3), ints(2, 3, 2)), "extent 'N'"), ("add", (ints(2, 3), ints(3)), "rank 2"),
    ("add", (ints(2, 3), ints(2, 2)), "cannot be broadcast"),
    ("select", (bools(2, 2), ints(2, 3), ints(2, 2)), "broadcast"),
    ("pow", (reals(), reals()), "must be 1 to 4"), ("reduce_sum", (ints(1, 2, 1, 1, 1),), "must be 1 to 4"),
    ("reduce_max", (ints(2, 0),), "must not be empty"), ("concat", ((ints(2, 2), ints(2, 3)),), "must agree"),
    ("concat", ((ints(2, 2), ints(2)),), "rank"), ("rescale", (ints(), [1], [2]), "must be 1 to 4"),
    ("rescale", (ints(2), [1, 1], [2]), "extent 'NC'"), ("reverse", (ints(1, 2, 1, 1, 1),), "must be 1 to 4"),
    ("resize", (ints(1, 16384, 1, 1),), "less than 16384"), ("table", (ints(2), ints(255)), "must have 256 items"),
]  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_errors_of_an_operator(name: str):
    """The invocation without the change is accepted, so it is the change that is refused."""
    inputs, attributes = VALID[name]
    tosa(name, *inputs, **attributes)
    for change, message in WRONG.get(name, []):
        with pytest.raises(EvaluationFailed, match=message):
            tosa(name, *inputs, **{**attributes, **change})
    for operator, wrong, message in INPUTS:
        if operator == name:
            with pytest.raises(EvaluationFailed, match=message):
                tosa(name, *wrong, **attributes)


def test_every_operator_with_an_error_condition_is_here():
    assert {*WRONG, *(name for name, _, _ in INPUTS)} == {*VALID}
    assert len(INPUTS) + sum(map(len, WRONG.values())) > 200


_ELEMENTWISE = (
    "bitwise_and", "bitwise_or", "bitwise_xor", "intdiv", "logical_left_shift", "logical_right_shift",
    "arithmetic_right_shift", "maximum", "minimum", "sub", "equal", "greater", "greater_equal",
)  # fmt: skip
_OF_INTS: dict[str, Given] = {
    **VALID,
    **{name: ((np.ones(2, np.int64), np.ones(2, np.int64)), {}) for name in _ELEMENTWISE},
    **{name: ((ints(2),), {}) for name in ("abs", "bitwise_not", "clz", "identity")},
    "arithmetic_right_shift": ((ints(2), ints(2)), {"round": False}),
    "gather": ((ints(1, 2, 3), ints(1, 2)), {}),
    "scatter": ((ints(1, 2, 3), ints(1, 1), ints(1, 1, 3)), {}),
}
_OF_OTHERS = {
    "ceil", "exp", "floor", "log", "logical_and", "logical_not", "logical_or", "logical_xor", "reciprocal", "rsqrt",
    "sigmoid", "tanh",
}  # fmt: skip


def test_every_operator_of_ints_is_here():
    names = {each for each in library_names("tosa").definitions if not each.startswith("_")}
    assert names == {*_OF_INTS, *_OF_OTHERS}


@pytest.mark.parametrize("name", _OF_INTS)
@pytest.mark.parametrize("beyond", [2**31, -(2**31) - 1, 2**47])
def test_no_element_is_beyond_its_type(name: str, beyond: int):
    """Operators that only move elements have no attribute for their type: none of them takes more than 32 bits."""
    inputs, attributes = _OF_INTS[name]
    tosa(name, *inputs, **attributes)
    for at, value in enumerate(inputs):
        first = np.array(value[0] if isinstance(value, tuple) else value)
        if first.dtype.kind == "i":
            first.flat[0] = beyond
            changed = (first, *value[1:]) if isinstance(value, tuple) else first
            with pytest.raises(EvaluationFailed, match=rf"'tosa\.{name}' is unpredictable: .* is -?\d+, but"):
                tosa(name, *inputs[:at], changed, *inputs[at + 1 :], **attributes)


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "place"),
    [
        ("identity", ([1, 2**31],), {}, r"input1\[1\]"),
        ("concat", (([1], [2, 2**31]),), {"axis": 0}, r"input1\[1\]\[1\]"),
        ("pad", ([1],), {"padding": [0, 1], "pad_const": 2**31}, r"output\[1\]"),
        ("const", (), {"values": [1, 2**31], "shape": [2]}, r"output\[1\]"),
    ],
)
def test_the_element_is_named(name: str, inputs: tuple[Any, ...], attributes: dict[str, Any], place: str):
    held = "the widest type is int32_t, which holds -2147483648 to 2147483647"
    with pytest.raises(EvaluationFailed, match=f"{place} is 2147483648, but {held}"):
        tosa(name, *inputs, **attributes)
