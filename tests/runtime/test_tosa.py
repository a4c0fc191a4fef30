"""Operators of TOSA against independent formulas in Python and NumPy, and the facts with numbers of its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snd_analysis.skriptnd.names import library_names
from snd_runtime.limits import EvaluationFailed
from support.runtime.invoking import invoker, same

tosa = invoker("tosa")
RANDOM = np.random.default_rng(30)
WIDTH = {"int8_t": 8, "int16_t": 16, "int32_t": 32, "int48_t": 48}


def ints(*shape: int, bits: int = 8) -> np.ndarray:
    return RANDOM.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), shape)


def wrapped(value: Any, bits: int) -> Any:
    """The low bits, in two's complement."""
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def clipped(value: Any, kind: str) -> Any:
    if kind.startswith("u"):
        return np.clip(value, 0, 2 ** int(kind[4:-2]) - 1)
    return np.clip(value, -(2 ** (WIDTH[kind] - 1)), 2 ** (WIDTH[kind] - 1) - 1)


def close(found: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


# ---- elementwise -----------------------------------------------------------------------------------------------------
X, Y = ints(3, 4, bits=20), ints(3, 1, bits=20)
Z = ints(3, 4, bits=16)
NONZERO = np.where(Y == 0, 1, Y)
R, S = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((1, 4))
P = np.abs(R) + 0.25
B, C = RANDOM.integers(0, 2, (3, 4)) == 1, RANDOM.integers(0, 2, (3, 1)) == 1
SHIFTS = RANDOM.integers(0, 31, (3, 4))
WIDE = ints(3, 4, bits=32)
NAN = np.array([[np.nan, 1.0, -np.inf, np.inf]])

INTS: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "add": ((X, Y), {}, X + Y),
    "sub": ((X, Y), {}, X - Y),
    "arithmetic_right_shift": ((WIDE, SHIFTS), {"round": False}, WIDE >> SHIFTS),
    "bitwise_and": ((WIDE, Y), {}, WIDE & Y),
    "bitwise_or": ((WIDE, Y), {}, WIDE | Y),
    "bitwise_xor": ((WIDE, Y), {}, WIDE ^ Y),
    "bitwise_not": ((WIDE,), {}, ~WIDE),
    "intdiv": ((X, NONZERO), {}, np.trunc(X / NONZERO).astype(int)),
    "logical_left_shift": ((WIDE, SHIFTS), {}, wrapped(WIDE << SHIFTS, 32)),
    "logical_right_shift": ((WIDE, SHIFTS), {}, wrapped((WIDE % 2**32) >> SHIFTS, 32)),
    "maximum": ((X, Y), {}, np.maximum(X, Y)),
    "minimum": ((X, Y), {}, np.minimum(X, Y)),
    "mul": ((WIDE, WIDE[::-1]), {}, wrapped(WIDE * WIDE[::-1], 32)),
    "abs": ((X,), {}, np.abs(X)),
    "clz": ((WIDE,), {}, np.vectorize(lambda each: 0 if each < 0 else 32 - int(each).bit_length())(WIDE)),
    "negate": ((Z,), {"in_out_t": "int16_t"}, clipped(-Z, "int16_t")),
    "clamp": ((Z,), {"min_val": -9, "max_val": 77}, np.clip(Z, -9, 77)),
    "reduce_max": ((X,), {"axis": 0}, X.max(0, keepdims=True)),
    "reduce_min": ((X,), {"axis": 1}, X.min(1, keepdims=True)),
    "reduce_sum": ((X,), {"axis": 1}, X.sum(1, keepdims=True)),
    "argmax": ((Z,), {"axis": 1}, Z.argmax(1)),
    "concat": (((X, X[:1]),), {"axis": 0}, np.concatenate([X, X[:1]])),
    "pad": ((X,), {"padding": [1, 0, 2, 3], "pad_const": 7}, np.pad(X, ((1, 0), (2, 3)), constant_values=7)),
    "reshape": ((X,), {"new_shape": [2, 3, 2]}, X.reshape(2, 3, 2)),
    "reverse": ((X,), {"axis": 0}, X[::-1]),
    "slice": ((X,), {"start": [1, 0], "size": [2, 3]}, X[1:3, :3]),
    "tile": ((X,), {"multiples": [2, 3]}, np.tile(X, (2, 3))),
    "transpose": ((X[None],), {"perms": [2, 0, 1]}, X[None].transpose(2, 0, 1)),
    "identity": ((X,), {}, X),
    "select": ((C, X, Y), {}, np.where(C, X, Y)),
}
REALS: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "add": ((R, S), {}, R + S),
    "sub": ((R, S), {}, R - S),
    "mul": ((R, S), {}, R * S),
    "maximum": ((NAN, S), {}, np.maximum(NAN, S)),
    "minimum": ((NAN, S), {}, np.minimum(NAN, S)),
    "pow": ((P, S), {}, P**S),
    "abs": ((R,), {}, np.abs(R)),
    "ceil": ((R,), {}, np.ceil(R)),
    "floor": ((R,), {}, np.floor(R)),
    "exp": ((R,), {}, np.exp(R)),
    "log": ((P,), {}, np.log(P)),
    "negate": ((R,), {}, -R),
    "reciprocal": ((R,), {}, 1 / R),
    "rsqrt": ((P,), {}, P**-0.5),
    "clamp": ((R,), {"min_val": -0.5, "max_val": 0.5}, np.clip(R, -0.5, 0.5)),
    "sigmoid": ((R,), {}, 1 / (1 + np.exp(-R))),
    "tanh": ((R,), {}, np.tanh(R)),
    "reduce_max": ((R,), {"axis": 0}, R.max(0, keepdims=True)),
    "reduce_min": ((R,), {"axis": 1}, R.min(1, keepdims=True)),
    "reduce_sum": ((R,), {"axis": 1}, R.sum(1, keepdims=True)),
    "reduce_product": ((R,), {"axis": 1}, R.prod(1, keepdims=True)),
}
BOOLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "logical_and": ((B, C), {}, B & C),
    "logical_or": ((B, C), {}, B | C),
    "logical_xor": ((B, C), {}, B ^ C),
    "logical_not": ((B,), {}, ~B),
    "equal": ((X, X[:1]), {}, X[:1] == X),
    "greater": ((NAN, S), {}, NAN > S),
    "greater_equal": ((X, Y), {}, X >= Y),
    "reduce_all": ((B,), {"axis": 1}, B.all(1, keepdims=True)),
    "reduce_any": ((B,), {"axis": 0}, B.any(0, keepdims=True)),
}
APART = {
    *("table", "gather", "scatter", "const", "conv2d", "conv3d", "depthwise_conv2d", "fully_connected", "matmul"),
    *("max_pool2d", "avg_pool2d", "transpose_conv2d", "fft2d", "rfft2d", "resize", "cast", "rescale"),
}


def test_every_operator_is_compared():
    public = {name for name in library_names("tosa").definitions if not name.startswith("_")}
    assert public == {*INTS, *REALS, *BOOLS, *APART}
    assert len(public) == 66, "69 of the text but COND_IF, WHILE_LOOP and CUSTOM"


@pytest.mark.parametrize("name", INTS)
def test_operator_of_ints(name: str):
    inputs, attributes, expected = INTS[name]
    same(tosa(name, *inputs, **attributes), expected)


@pytest.mark.parametrize("name", REALS)
def test_operator_of_reals(name: str):
    inputs, attributes, expected = REALS[name]
    close(tosa(name, *inputs, **attributes), expected)


@pytest.mark.parametrize("name", BOOLS)
def test_operator_of_truth_values(name: str):
    inputs, attributes, expected = BOOLS[name]
    found = tosa(name, *inputs, **attributes)
    assert found.dtype == bool
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["int8_t", "int16_t", "int32_t"])
def test_shifts_wrap_and_round_in_their_storage_type(kind: str):
    bits = WIDTH[kind]
    x, n = ints(40, bits=bits), RANDOM.integers(0, bits, 40)
    same(tosa("logical_left_shift", x, n, in_out_t=kind), wrapped(x << n, bits))
    same(tosa("logical_right_shift", x, n, in_out_t=kind), wrapped((x % 2**bits) >> n, bits))
    rounded = (x >> n) + np.where(n > 0, x >> np.maximum(n - 1, 0) & 1, 0)
    same(tosa("arithmetic_right_shift", x, n, in_out_t=kind, round=True), clipped(rounded, kind))


def test_products_are_shifted_with_rounding():
    x, y = ints(30, bits=24), ints(30, bits=24)
    same(tosa("mul", x, y, shift=20), (x * y + 2**19) >> 20)
    least = -(2**31)
    same(tosa("mul", [least, least, 7], [least, -least - 1, -9], shift=63), [1, 0, 0])


def test_tables():
    table = ints(256)
    x = ints(50)
    same(tosa("table", x, table), table[x + 128])
    table, x = ints(513, bits=15), np.append(ints(50, bits=16), [-32768, 32767])
    index, fraction = (x + 32768) >> 7, x & 127
    expected = (table[index] << 7) + (table[index + 1] - table[index]) * fraction
    same(tosa("table", x, table, in_t="int16_t"), expected)


def test_rows_are_gathered_and_scattered():
    values, indices = ints(2, 5, 3), np.array([[4, 0, 2], [1, 3, 0]])
    picked = np.take_along_axis(values, indices[:, :, None], 1)
    same(tosa("gather", values, indices), picked)
    expected = values.copy()
    np.put_along_axis(expected, indices[:, :, None], picked + 100, 1)
    same(tosa("scatter", values, indices, picked + 100), expected)


def test_constants():
    close(tosa("const", values=[1.5, 2.5], shape=[2, 1]), [[1.5], [2.5]])


# ---- windows ---------------------------------------------------------------------------------------------------------
def convolved(x: np.ndarray, w: np.ndarray, bias: np.ndarray, pad: list[int], stride: list[int], dilation: list[int]):
    """A convolution with the channels last, of any number of spatial dimensions, as the text loops over it."""
    d = x.ndim - 2
    x = np.pad(x, [(0, 0), *((pad[2 * at], pad[2 * at + 1]) for at in range(d)), (0, 0)])
    size = [(x.shape[1 + at] - (w.shape[1 + at] - 1) * dilation[at] - 1) // stride[at] + 1 for at in range(d)]
    found = np.zeros((x.shape[0], *size, w.shape[0]), x.dtype) + bias
    for position in np.ndindex(*size):
        for tap in np.ndindex(*w.shape[1:-1]):
            place = tuple(position[at] * stride[at] + tap[at] * dilation[at] for at in range(d))
            found[(slice(None), *position)] += x[(slice(None), *place)] @ w[(slice(None), *tap)].T
    return found


def test_convolutions_of_two_and_three_dimensions():
    x, w, bias = ints(2, 6, 5, 3), ints(4, 2, 3, 3), ints(4, bits=16)
    given = {"pad": [1, 0, 1, 1], "stride": [1, 2], "dilation": [2, 2]}
    expected = convolved(x - 3, w + 2, bias, **given)
    same(tosa("conv2d", x, w, bias, **given, input_zp=3, weight_zp=-2), expected)
    x, w = ints(1, 4, 3, 4, 2), ints(3, 2, 1, 2, 2)
    given = {"pad": [0, 1, 0, 0, 1, 1], "stride": [2, 1, 3], "dilation": [2, 1, 2]}
    same(tosa("conv3d", x, w, bias[:3], **given), convolved(x, w, bias[:3], **given))
    close(tosa("conv3d", x / 8, w / 4, bias[:3] / 2, **given), convolved(x / 8, w / 4, bias[:3] / 2, **given))


def test_depthwise_convolution():
    x, w, bias = ints(2, 5, 5, 3), ints(3, 2, 3, 2), ints(6)
    given = {"pad": [0, 0, 1, 0], "stride": [2, 1], "dilation": [1, 2]}
    channels = [convolved(x[..., [c]] - 1, w[:, :, [c], [m]][..., None].transpose(2, 0, 1, 3), 0, **given)
                for c in range(3) for m in range(2)]  # fmt: skip
    same(tosa("depthwise_conv2d", x, w, bias, **given, input_zp=1), np.concatenate(channels, -1) + bias)


def test_products_of_matrices():
    x, w, bias = ints(3, 5), ints(4, 5), ints(4, bits=16)
    same(tosa("fully_connected", x, w, bias, input_zp=5, weight_zp=-3), (x - 5) @ (w + 3).T + bias)
    a, b = ints(2, 3, 4), ints(2, 4, 5)
    same(tosa("matmul", a, b, A_zp=7), (a - 7) @ b)
    wide = ints(2, 3, 4, bits=16)
    same(tosa("matmul", wide, wide.transpose(0, 2, 1), in_t="int16_t"), wide @ wide.transpose(0, 2, 1))


def test_transposed_convolution():
    x, w, bias = ints(2, 3, 4, 2), ints(3, 2, 3, 2), ints(3)
    full = np.zeros((2, 2 * 2 + 2, 3 * 3 + 3, 3), int)
    for i, j in np.ndindex(3, 4):
        full[:, 2 * i : 2 * i + 2, 3 * j : 3 * j + 3] += np.einsum("nc,ohwc->nhwo", x[:, i, j] - 1, w)
    expected = full[:, 1:, 0:-2] + bias
    given = {"out_pad": [1, 0, 0, 2], "stride": [2, 3], "out_shape": list(expected.shape)}
    same(tosa("transpose_conv2d", x, w, bias, **given, input_zp=1), expected)


def reciprocal_scale(count: int) -> tuple[int, int]:
    k = (count - 1).bit_length()
    return ((1 << 30) + 1 << k) // count, 30 + k


def test_pooling():
    x = ints(2, 5, 7, 3)
    given = {"kernel": [3, 3], "stride": [2, 2], "pad": [1, 1, 1, 1]}
    most, mean, real = (np.zeros((2, 3, 4, 3), each) for each in (int, int, float))
    for i, j in np.ndindex(3, 4):
        window = x[:, max(2 * i - 1, 0) : 2 * i + 2, max(2 * j - 1, 0) : 2 * j + 2]
        most[:, i, j] = window.max((1, 2))
        multiplier, shift = reciprocal_scale(window.shape[1] * window.shape[2])
        total = (window - 4).sum((1, 2))
        mean[:, i, j] = clipped(((total * multiplier + (1 << (shift - 1))) >> shift) - 100, "int8_t")
        real[:, i, j] = window.mean((1, 2)) / 3
    same(tosa("max_pool2d", x, **given), most)
    same(tosa("avg_pool2d", x, **given, in_out_t="int8_t", input_zp=4, output_zp=-100), mean)
    close(tosa("avg_pool2d", x / 3, **given), real)


@pytest.mark.parametrize(("count", "total", "mean"), [(2, 21, 11), (2, -21, -11), (3, 31, 10)])
def test_means_are_rounded_by_the_fixed_point_reciprocal(count: int, total: int, mean: int):
    x = np.zeros((1, 1, count, 1), int)
    x[0, 0, 0, 0] = total
    same(tosa("avg_pool2d", x, kernel=[1, count], stride=[1, 1], pad=[0] * 4), [[[[mean]]]])


def test_fourier_transforms():
    x, y = RANDOM.standard_normal((2, 2, 4, 8))
    real, imaginary = tosa("fft2d", x, y)
    close(real + 1j * imaginary, np.fft.fft2(x + 1j * y))
    real, imaginary = tosa("fft2d", x, y, inverse=True)
    close(real + 1j * imaginary, np.fft.ifft2(x + 1j * y) * 32)
    real, imaginary = tosa("rfft2d", x)
    close(real + 1j * imaginary, np.fft.fft2(x)[:, :3, :5])


# ---- resizing and scaling --------------------------------------------------------------------------------------------
def resized(x: np.ndarray, size: list[int], stride: list[Any], offset: list[Any], shift: int, mode: str) -> np.ndarray:
    found = np.zeros((x.shape[0], *size, x.shape[3]), x.dtype)
    unit = 1 << shift
    for oy, ox in np.ndindex(*size):
        (y, dy), (z, dz) = (divmod(o * s + f, unit) for o, s, f in zip((oy, ox), stride, offset, strict=True))
        y, z = int(y), int(z)
        y0, y1 = max(y, 0), min(y + 1, x.shape[1] - 1)
        x0, x1 = max(z, 0), min(z + 1, x.shape[2] - 1)
        if mode == "NEAREST":
            found[:, oy, ox] = x[:, y1 if 2 * dy >= unit else y0, x1 if 2 * dz >= unit else x0]
        else:
            top = x[:, y0, x0] * (unit - dz) + x[:, y0, x1] * dz
            bottom = x[:, y1, x0] * (unit - dz) + x[:, y1, x1] * dz
            found[:, oy, ox] = top * (unit - dy) + bottom * dy
    return found


@pytest.mark.parametrize("mode", ["BILINEAR", "NEAREST"])
def test_resizing(mode: str):
    x = ints(2, 3, 4, 2)
    # Upscaling by 4, with centres aligned; the second example of the text has one element too many.
    given = {"output_size": [12, 16], "stride": [2, 2], "offset": [-3, -3], "border": [2, 2]}
    expected = resized(x, [12, 16], [2, 2], [-3, -3], 3, mode)
    same(tosa("resize", x, **given, shift=3, mode=mode), expected)
    given = {"output_size": [2, 4], "stride": [3, 2], "offset": [-1, 1], "border": [0, 1]}
    expected = resized(x, [2, 4], [3, 2], [-1, 1], 1, mode)
    same(tosa("resize", x, **given, shift=1, mode=mode), expected)
    # Strides and offsets of reals are reals, and sizes are rounded towards zero.
    given = {"output_size": [5, 6], "stride": [0.5, 0.75], "offset": [-0.25, 0.125], "border": [0, 2]}
    expected = resized(x / 7, [5, 6], [0.5, 0.75], [-0.25, 0.125], 0, mode)
    close(tosa("resize", x / 7, **given, shift=0, mode=mode), expected)


def scaled(value: int, multiplier: int, shift: int, twice: bool) -> int:
    extra = ((1 << 30) if value >= 0 else -(1 << 30)) if twice and shift > 31 else 0
    return (value * multiplier + (1 << (shift - 1)) + extra) >> shift


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("kind", ["int8_t", "int16_t", "int32_t"])
def test_rescaling(kind: str, twice: bool):
    x = ints(4, 5, bits=24)
    multiplier, shift = RANDOM.integers(2**30, 2**31, 5), RANDOM.integers(28, 40, 5)
    expected = [[scaled(int(v), int(m), int(s), twice) for v, m, s in zip(row, multiplier, shift, strict=True)]
                for row in x]  # fmt: skip
    zero = 5 if kind == "int8_t" else 0
    given = {"scale32": True, "double_round": twice, "per_channel": True, "out_t": kind, "output_zp": zero}
    same(tosa("rescale", x, multiplier, shift, **given), clipped(np.array(expected) + zero, kind))


def test_unsigned_types_are_rescaled():
    x = ints(30, bits=16)
    expected = [scaled(int(v), 2**14, 15, False) + 32768 for v in x]
    given = {"scale32": False, "in_t": "int16_t", "out_t": "uint16_t", "output_zp": 32768}
    same(tosa("rescale", x, [2**14], [15], **given), clipped(np.array(expected), "uint16_t"))


def test_casts():
    x = ints(30, bits=20)
    same(tosa("cast", x, out_t="int8_t"), wrapped(x, 8))
    same(tosa("cast", x / 3, out_t="int16_t"), clipped(np.rint(x / 3).astype(int), "int16_t"))
    close(tosa("cast", x, dtypes=["real"]), x.astype(float))
    np.testing.assert_array_equal(tosa("cast", x, dtypes=["bool"]), x != 0)
    same(tosa("cast", x > 0), (x > 0).astype(int))


INF = np.inf
ENDS = [-INF, INF, -0.0, 0.0, np.nan]
OF_ENDS = {
    "abs": [INF, INF, 0.0, 0.0, np.nan], "ceil": ENDS, "floor": ENDS, "exp": [0.0, INF, 1, 1, np.nan],
    "log": [np.nan, INF, -INF, -INF, np.nan], "negate": [INF, -INF, 0.0, -0.0, np.nan],
    "reciprocal": [-0.0, 0.0, -INF, INF, np.nan], "rsqrt": [np.nan, 0.0, -INF, INF, np.nan],
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ENDS)
def test_infinities_zeros_and_nan_are_those_of_the_text(name: str):
    """The tables of floating-point behaviour of the operators, signs of zeros included."""
    for found, expected in zip(tosa(name, ENDS), OF_ENDS[name], strict=True):
        assert (np.isnan(found) and np.isnan(expected)) or (
            found == expected and np.signbit(found) == np.signbit(expected)
        )


def test_what_nan_comes_to():
    """Table 5: NaN gives NaN, in comparisons false; ARGMAX never takes it, wherever it stands."""
    one, nan = np.array([1.0, np.nan, np.nan]), np.array([np.nan, 0.0, np.nan])
    for name in ("add", "sub", "mul", "pow", "maximum", "minimum"):
        assert np.isnan(tosa(name, one, nan)).all(), name
    for name in ("equal", "greater", "greater_equal"):
        assert not tosa(name, one, nan).any(), name
    for name in ("reduce_max", "reduce_min", "reduce_sum", "reduce_product"):
        assert np.isnan(tosa(name, [[1.0, np.nan, 2.0], [np.nan, 1.0, 2.0]], axis=1)).all(), name
    assert np.isnan(tosa("clamp", [np.nan], min_val=0.0, max_val=1.0)).all()
    for name in ("max_pool2d", "avg_pool2d"):
        image = np.array([np.nan, 1, 2, np.nan]).reshape(1, 1, 4, 1)
        found = tosa(name, image, kernel=[1, 2], stride=[1, 1], pad=[0] * 4)
        assert np.isnan(found).reshape(-1).tolist() == [True, False, True]
    for values in (
        [np.nan, 1.0],
        [np.nan, -INF],
        [1.0, np.nan],
        [np.nan] * 2,
        [-INF, np.nan, -INF, 3.0],
        [np.nan, 2, 5],
    ):
        largest, expected = -INF, 0
        for at, value in enumerate(values):
            if value > largest:
                largest, expected = value, at
        assert tosa("argmax", values, axis=0) == expected, values
    for invalid in ((INF, -INF, "add"), (INF, INF, "sub"), (0.0, INF, "mul")):
        assert np.isnan(tosa(invalid[2], [invalid[0]], [invalid[1]])).all()
    assert tosa("mul", [1e308, -1e308, 1e-308, -1e-308], [1e9, 1e9, 1e-99, 1e-99]).tolist() == [INF, -INF, 0.0, -0.0]


CORNERS = {"stride": [1, 1], "offset": [0, 0], "border": [0, 0]}
WRONG: list[tuple[str, Callable[[], Any], str]] = [
    ("zero point of int16", lambda: tosa("negate", X, in_out_t="int16_t", input1_zp=1), "must be 0 for all types"),
    ("shift of int8", lambda: tosa("mul", X, Y, in_t="int8_t", shift=1), "only int32 products are shifted"),
    ("types", lambda: tosa("rescale", X, [1], [2], scale32=True, out_t="uint8_t"), "no such combination"),
    ("48 bits", lambda: tosa("rescale", X, [1], [2], scale32=True, in_t="int48_t"), "'scale32' must be false"),
    ("uint16", lambda: tosa("rescale", X, [1], [2], scale32=True, in_t="int16_t", out_t="uint16_t", output_zp=5),
     "must be 0 or 32768"),
    ("channels", lambda: tosa("rescale", X, [1], [2], scale32=True, per_channel=True), "must have 4 items"),
    ("ranks", lambda: tosa("add", X, Y[0]), "rank"),
    ("axis", lambda: tosa("reduce_sum", X, axis=-1), "'axis' must be at least 0"),
    ("size", lambda: tosa("resize", ints(1, 2, 2, 1), **CORNERS, shift=12, mode="NEAREST"),
     "'shift' must be 1 to 11"),
    ("fp to fp", lambda: tosa("cast", R, dtypes=["real"], in_t="fp16_t"), "no such combination"),
    ("type of the tensors", lambda: tosa("add", R, S, in_out_t="int32_t"), "must be a storage type"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "invoke", "message"), WRONG, ids=[each[0] for each in WRONG])
def test_what_the_text_calls_an_error_is_one(what: str, invoke: Callable[[], Any], message: str):
    with pytest.raises(EvaluationFailed, match=message):
        invoke()
