"""Operations of NNEF 1.0 on windows, along axes and of regions, compared with NumPy; what tract means by some."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from support.nnef1.running import run_operation, run_tract_operation

RANDOM = np.random.default_rng(16)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
IMAGE = RANDOM.standard_normal((2, 3, 5, 6)).astype(np.float32)
MODES = {"constant": "constant", "replicate": "edge", "reflect": "reflect", "reflect-even": "symmetric"}


def close(actual: object, expected: object) -> None:
    """Demand values that agree to the precision of floats."""
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-4, atol=1e-5)


# ---- along axes ------------------------------------------------------------------------------------------------------
REDUCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min,
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axes", [(1,), (0, 2)])
def test_reductions(name: str, axes: tuple[int, ...]):
    call = f"{name}_reduce(x, axes = {list(axes)})"
    close(run_operation(call, x=X), REDUCTIONS[name](X, axis=axes, keepdims=True))


def test_reductions_of_other_kinds():
    truths = X > 0
    close(run_operation("any_reduce(x, axes = [1, 2])", x=truths), truths.any((1, 2), keepdims=True))
    close(run_operation("all_reduce(x, axes = [2])", x=truths), truths.all(2, keepdims=True))
    close(run_operation("sum_reduce(x, axes = [1], normalize = true)", x=X), X.mean(1, keepdims=True))
    close(run_operation("argmax_reduce(x, axes = [1])", x=X), X.argmax(1, keepdims=True))
    close(run_operation("argmin_reduce(x, axes = [2])", x=X), X.argmin(2, keepdims=True))
    flat = X.transpose(1, 0, 2).reshape(3, -1).argmax(1).reshape(1, 3, 1)
    close(run_operation("argmax_reduce(x, axes = [0, 2])", x=X), flat)
    mean, variance = run_operation("m, v = moments(x, axes = [0, 1])", x=X)
    close(mean, X.mean((0, 1), keepdims=True))
    close(variance, X.var((0, 1), keepdims=True))


PADDED = np.pad(X, ((0, 0), (1, 2), (0, 1)), constant_values=7)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("slice(x, axes = [1, 2], begin = [1, -3], end = [0, -1])", X[:, 1:, -3:-1]),
        ("slice(x, axes = [2], begin = [0], end = [0], stride = [3])", X[:, :, ::3]),
        ("pad(x, padding = [(0, 0), (1, 2), (0, 1)], value = 7.0)", PADDED),
        ("pad(x, padding = [(0, -1), (-1, 1), (0, 0)])", np.pad(X[:1, 1:], ((0, 0), (0, 1), (0, 0)))),
        ("tile(x, repeats = [1, 2, 3])", np.tile(X, (1, 2, 3))),
        ("stack([x, x], axis = 3)", np.stack([X, X], 3)),
        ("add_n([x, x, x])", 3 * X),
    ],
)  # fmt: skip
def test_shapes(call: str, expected: np.ndarray):
    close(run_operation(call, x=X), expected)


def test_gather():
    close(run_operation("gather(x, i, axis = 2)", x=X, i=np.array([2, 0])), X[:, :, [2, 0]])


@pytest.mark.parametrize("border", MODES)
def test_borders_of_pad(border: str):
    call = f"pad(x, padding = [(1, 0), (2, 1), (0, 2)], border = '{border}')"
    close(run_operation(call, x=X), np.pad(X, ((1, 0), (2, 1), (0, 2)), mode=MODES[border]))  # type: ignore[call-overload]


def test_tensors_that_are_taken_apart():
    first, second = run_operation("[a, b] = split(x, axis = 2, ratios = [1, 3])", x=X)
    close(first, X[:, :, :1])
    close(second, X[:, :, 1:])
    for part, expected in zip(run_operation("[a, b, c] = unstack(x, axis = 1)", x=X), X.swapaxes(0, 1), strict=True):
        close(part, expected)
    for part in run_operation("[a, b] = copy_n(x, times = 2)", x=X):
        close(part, X)


# ---- windows ---------------------------------------------------------------------------------------------------------
def windows(x: np.ndarray, size: int, stride: int, dilation: int, border: str, value: float = 0.0) -> np.ndarray:
    """The windows over the last dimension, with automatic padding, as one more dimension."""
    span, extent = (size - 1) * dilation + 1, x.shape[-1]
    count = -(-extent // stride)
    total = max((count - 1) * stride + span - extent, 0)
    widths = [(0, 0)] * (x.ndim - 1) + [(total // 2, total - total // 2)]
    if border in ("constant", "ignore"):
        padded = np.pad(x, widths, constant_values=value)
    else:
        padded = np.pad(x, widths, mode=MODES[border])  # type: ignore[call-overload]
    return np.stack([padded[..., at * stride : at * stride + span : dilation] for at in range(count)], -2)


@pytest.mark.parametrize("border", [*MODES, "ignore"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_pools(border: str, stride: int, dilation: int):
    rest = f"size = [1, 1, 3], stride = [1, 1, {stride}], dilation = [1, 1, {dilation}], border = '{border}'"
    most = windows(X, 3, stride, dilation, border, -np.inf if border == "ignore" else 0.0)
    sums = windows(X, 3, stride, dilation, border)
    close(run_operation(f"max_pool(x, {rest})", x=X), most.max(-1))
    close(run_operation(f"argmax_pool(x, {rest})", x=X), most.argmax(-1))
    close(run_operation(f"box(x, {rest})", x=X), sums.sum(-1))
    count = windows(np.ones_like(X), 3, stride, dilation, border).sum(-1) if border == "ignore" else 3
    close(run_operation(f"avg_pool(x, {rest})", x=X), sums.sum(-1) / count)
    close(run_operation(f"rms_pool(x, {rest})", x=X), np.sqrt((sums**2).sum(-1) / count))
    values, places = run_operation(f"v, i = max_pool_with_index(x, {rest})", x=X)
    close(values, most.max(-1))
    if border != "ignore":
        close(run_operation(f"sample(x, i, {rest})", x=X, i=places), most.max(-1))


def test_windows_over_several_dimensions():
    found = run_operation("box(x, size = [1, 3, 2, 2], padding = [(0, 0), (1, 1), (0, 0), (0, 1)])", x=IMAGE)
    padded = np.pad(IMAGE, ((0, 0), (1, 1), (0, 0), (0, 1)))
    expected = sum(padded[:, c : c + 3, h : h + 4, w : w + 6] for c, h, w in product(range(3), range(2), range(2)))
    close(found, expected)


def test_reverses_of_windows():
    rest = "size = [1, 1, 2], stride = [1, 1, 2], padding = [(0, 0), (0, 0), (0, 0)]"
    values, places = run_operation(f"v, i = max_pool_with_index(x, {rest})", x=X)
    expected = np.where(np.repeat(values, 2, 2) == X, X, 0)
    close(run_operation(f"desample(v, i, {rest})", v=values, i=places), expected)
    close(run_operation(f"debox(x, {rest})", x=X), np.repeat(X, 2, 2))
    close(run_operation(f"debox(x, {rest}, normalize = true)", x=X), np.repeat(X, 2, 2) / 2)


def deconvolved(x: np.ndarray, filter: np.ndarray, stride: int, dilation: int) -> np.ndarray:
    """All of what a filter of [input channels, output channels, ...] adds to the output."""
    taps = filter.shape[2]
    out = np.zeros((x.shape[0], filter.shape[1], (x.shape[2] - 1) * stride + (taps - 1) * dilation + 1))
    for at, tap in product(range(x.shape[2]), range(taps)):
        out[:, :, at * stride + tap * dilation] += np.einsum("bc,cn->bn", x[:, :, at], filter[:, :, tap])
    return out


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 2)])
def test_deconv(stride: int, dilation: int):
    filter = RANDOM.standard_normal((3, 2, 3)).astype(np.float32)
    bias = np.array([[0.5, -1.0]], np.float32)
    full = deconvolved(X, filter, stride, dilation) + bias[:, :, None]
    rest = f"stride = [{stride}], dilation = [{dilation}]"
    explicit = run_operation(f"deconv(x, f, b, {rest}, padding = [(1, 0)])", x=X, f=filter, b=bias)
    close(explicit, full[:, :, 1:])
    wanted = X.shape[2] * stride
    before = max(full.shape[2] - wanted, 0) // 2
    close(run_operation(f"deconv(x, f, b, {rest})", x=X, f=filter, b=bias), full[:, :, before : before + wanted])
    swapped = filter.transpose(1, 0, 2)
    close(run_tract_operation(f"deconv(x, f, b, {rest}, padding = [(1, 0)])", x=X, f=swapped, b=bias), full[:, :, 1:])


def test_convolutions_in_two_steps():
    plane = RANDOM.standard_normal((3, 1, 3)).astype(np.float32)
    point = RANDOM.standard_normal((2, 3, 1)).astype(np.float32)
    planes = np.einsum("bcok,ck->bco", windows(X, 3, 1, 1, "constant"), plane[:, 0])
    close(
        run_operation("separable_conv(x, p, q)", x=X, p=plane, q=point), np.einsum("bco,nc->bno", planes, point[..., 0])
    )
    mixed = np.einsum("bcx,cn->bnx", X, point.transpose(1, 0, 2)[..., 0])
    split = [deconvolved(mixed[:, n : n + 1], plane[n : n + 1], 1, 1) for n in range(2)]
    found = run_operation("separable_deconv(x, p, q)", x=X, p=plane[:2], q=point.transpose(1, 0, 2))
    close(found, np.concatenate(split, 1)[:, :, 1:-1])


# ---- functions and norms ---------------------------------------------------------------------------------------------
LENGTHS = np.sqrt((X**2).sum((0, 2), keepdims=True))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("gelu(x)", X / (1 + np.exp(-1.702 * X))),
        ("silu(x)", X / (1 + np.exp(-X))),
        ("softplus(x)", np.log1p(np.exp(X))),
        ("selu(x)", 1.05070102 * np.where(X < 0, 1.67326319 * np.expm1(X), X)),
        ("softabs(x, epsilon = 0.5)", np.sqrt(X * X + 0.5)),
        ("l1_normalization(x, axes = [1], bias = 0.5)", X / (np.abs(X).sum(1, keepdims=True) + 0.5)),
        ("l2_normalization(x, axes = [0, 2], epsilon = 3.0)", X / np.maximum(LENGTHS, 3)),
        ("linear_quantize(x, -1.0, 1.0, bits = 3)", np.floor((np.clip(X, -1, 1) + 1) / 2 * 7 + 0.5) / 7 * 2 - 1),
        (
            "logarithmic_quantize(x, 2.0, bits = 2)",
            np.sign(X) * 2 ** np.floor(np.clip(np.log2(np.abs(X)), -2, 1) + 0.5),
        ),
    ],
)  # fmt: skip
def test_functions(call: str, expected: np.ndarray):
    close(run_operation(call, x=X), expected)


def test_prelu_and_batch_normalization():
    slopes = np.array([[0.1, 0.2, 0.3]], np.float32)
    close(run_operation("prelu(x, a)", x=X, a=slopes), np.where(X < 0, slopes[:, :, None] * X, X))
    m, v, o, s = (RANDOM.uniform(0.5, 1.5, (1, 3)).astype(np.float32) for _ in range(4))
    call = "batch_normalization(x, m, v, o, s, epsilon = 0.1)"
    wide = [each[:, :, None] for each in (m, v, o, s)]
    expected = wide[2] + wide[3] * (X - wide[0]) / np.sqrt(wide[1] + 0.1)
    close(run_operation(call, x=X, m=m, v=v, o=o, s=s), expected)
    close(run_tract_operation(call, x=X, m=m, v=v, o=o, s=s), expected)


def test_local_normalizations():
    near = windows(X, 3, 1, 1, "constant")
    centred = X - near.mean(-1)
    call = "local_response_normalization(x, size = [1, 1, 3], alpha = 0.5, beta = 0.75, bias = 2.0)"
    close(run_operation(call, x=X), X / (2 + 0.5 * (near**2).mean(-1)) ** 0.75)
    close(run_operation("local_mean_normalization(x, size = [1, 1, 3])", x=X), centred)
    rest = "size = [1, 1, 3], bias = 0.5, epsilon = 1.0"
    close(
        run_operation(f"local_variance_normalization(x, {rest})", x=X),
        X / np.maximum(np.sqrt((near**2).mean(-1)) + 0.5, 1.0),
    )
    squares = (windows(centred, 3, 1, 1, "constant") ** 2).mean(-1)
    close(
        run_operation(f"local_contrast_normalization(x, {rest})", x=X),
        centred / np.maximum(np.sqrt(squares) + 0.5, 1.0),
    )


# ---- sampling --------------------------------------------------------------------------------------------------------
def interpolated(x: np.ndarray, places: np.ndarray, border: str = "replicate") -> np.ndarray:
    """Linear interpolation along the last dimension."""
    below = np.floor(places).astype(int)
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(1, 1)], mode=MODES[border])  # type: ignore[call-overload]
    part, most = places - below, padded.shape[-1] - 1
    taken = [padded[..., np.clip(below + 1 + step, 0, most)] for step in (0, 1)]
    return np.asarray(taken[0] * (1 - part) + taken[1] * part)


@pytest.mark.parametrize("border", MODES)
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_multilinear_upsample(border: str, factor: int):
    at = np.arange(X.shape[-1] * factor)
    call = f"multilinear_upsample(x, factor = [{factor}], border = '{border}'"
    symmetric = interpolated(X, (at - (factor - 1) / 2) / factor, border)
    close(run_operation(f"{call})", x=X), symmetric)
    close(run_operation(f"{call}, method = 'asymmetric')", x=X), interpolated(X, at / factor, border))
    aligned = at * (X.shape[-1] - 1) / (len(at) - 1)
    close(run_operation(f"{call}, method = 'aligned')", x=X), interpolated(X, aligned))


def test_sampling_by_factors():
    close(run_operation("nearest_upsample(x, factor = [3])", x=X), np.repeat(X, 3, 2))
    close(run_operation("nearest_downsample(x, factor = [2])", x=X), X[:, :, ::2])
    close(run_operation("area_downsample(x, factor = [2])", x=X), X.reshape(2, 3, 2, 2).mean(-1))


def test_regions():
    rois, index = np.array([[1.0, 3.0], [0.0, 4.0]], np.float32), np.array([[1], [0]])
    inputs = {"x": X, "r": rois, "i": index}
    cells = [X[1, :, 1:3].reshape(3, 2, 1), X[0].reshape(3, 2, 2)]
    close(run_operation("max_roi_pool(x, r, i, output_size = [2])", **inputs), [each.max(-1) for each in cells])
    close(run_operation("avg_roi_pool(x, r, i, output_size = [2])", **inputs), [each.mean(-1) for each in cells])
    resized = np.stack([
        interpolated(X[item], first + (np.arange(4) + 0.5) * (last - first) / 4 - 0.5)
        for (first, last), item in zip(rois, index[:, 0], strict=True)
    ])  # fmt: skip
    close(run_operation("roi_resample(x, r, i, output_size = [4])", **inputs), resized)
    blocks = resized.reshape(2, 3, 2, 2)
    rest = "output_size = [2], sampling_rate = [2]"
    close(run_operation(f"avg_roi_align(x, r, i, {rest})", **inputs), blocks.mean(-1))
    close(run_operation(f"max_roi_align(x, r, i, {rest})", **inputs), blocks.max(-1))


# ---- the dialect of tract --------------------------------------------------------------------------------------------
def test_tract_gives_standard_operations_another_meaning():
    rest = "size = [1, 1, 3], border = 'constant'"
    most = windows(X, 3, 1, 1, "ignore", -np.inf)
    close(run_tract_operation(f"max_pool(x, {rest})", x=X), most.max(-1))
    values, places = run_tract_operation(f"v, i = max_pool_with_index(x, {rest})", x=X)
    close(values, most.max(-1))
    close(places, most.argmax(-1) + np.arange(4) - 1)
    halves = np.array([0.5, -0.5, -2.5, 1.5], np.float32)
    close(run_tract_operation("round(x)", x=halves), [1, -1, -3, 2])
    close(run_operation("round(x)", x=halves), [1, 0, -2, 2])
    widths = "padding = [(0, 0), (0, 0), (1, 1)]"
    close(
        run_tract_operation(f"pad(x, {widths}, border = 'replicated')", x=X),
        np.pad(X, ((0, 0), (0, 0), (1, 1)), "edge"),
    )
    assert run_tract_operation("slice(x, axes = [2], begin = [0], end = [0])", x=X).shape == (2, 3, 0)
    close(run_tract_operation("slice(x, axes = [2], begin = [1], end = [0])", x=X), X[:, :, 1:])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("pad(x, padding = [(0, 0), (0, 0), (1, 1)], border = 'replicated')", "NNEF 1.0 calls the border"),
        ("slice(x, axes = [2], begin = [3], end = [2])", "'end' must be after 'begin'"),
        ("max_pool(x, size = [1, 3])", "'size' must have an item for each of the 3 dimensions"),
        ("[a, b] = split(x, axis = 2, ratios = [1, 2])", "the sum of the ratios, 3, must divide the extent 4"),
        ("tile(x, repeats = [1, 2])", "'repeats' must have an item for each of the 3 dimensions"),
        ("nearest_downsample(x, factor = [3])", "'factor' must divide the spatial extents"),
        ("sum_reduce(x, axes = [3])", "'axes' must be dimensions of the input"),
        ("square(x)", "there is no operation 'square'"),
    ],
)  # fmt: skip
def test_rules_are_messages(call: str, message: str):
    with pytest.raises(AssertionError, match=message):
        run_operation(call, x=X)
