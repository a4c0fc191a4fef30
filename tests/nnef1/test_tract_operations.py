"""Operations that tract adds to NNEF 1.0, run one by one and compared with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snd_analysis.base import OperatorName
from snd_analysis.model import Tensor
from support.memory import snapshot_of
from support.nnef1.running import run_text
from support.nnef1.running import run_tract_operation as run_operation

RANDOM = np.random.default_rng(51)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
INTS = np.array([[7, -7, 0], [12, -1, 1023]])
TIES = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49, 2.51, 7.0], np.float32)
ODD = np.array([1.0, np.inf, -np.inf, np.nan], np.float32)


def close(actual: object, expected: object) -> None:
    """Demand values that agree to the precision of floats."""
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-5, atol=1e-5)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    exponents = np.exp(x - x.max(axis, keepdims=True))
    return exponents / exponents.sum(axis, keepdims=True)


def gelu(x: np.ndarray, exponent: int = 3) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**exponent)))


def logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


UNARY: dict[str, tuple[np.ndarray, Callable[[Any], Any]]] = {
    "recip(x)": (X, np.reciprocal),
    "square(x)": (X, np.square),
    "tract_core_erf(x)": (X, np.vectorize(math.erf)),
    "tract_core_round_even(x)": (TIES, np.round),
    "tract_core_hard_swish(x)": (X * 3, lambda x: x * np.clip((x + 3) / 6, 0, 1)),
    "tract_core_silu(x)": (X, lambda x: x * logistic(x)),
    "tract_core_is_nan(x)": (ODD, np.isnan),
    "tract_core_is_inf(x)": (ODD, np.isinf),
    "tract_core_is_inf(x, detect_negative = false)": (ODD, np.isposinf),
    "tract_core_pow_const(x, exponent = 3.0)": (X, lambda x: x**3),
    "tract_core_gelu_approx(x)": (X, gelu),
    "tract_core_gelu_approx(x, fast_impl = true)": (X, lambda x: gelu(x, 2)),
    "tract_core_bitnot(x)": (INTS, np.invert),
    "tract_core_softmax(x, axes = [2])": (X, lambda x: softmax(x, 2)),
    "tract_core_log_softmax(x, axes = [1])": (X, lambda x: np.log(softmax(x, 1))),
    "tract_core_broadcast(x, shape = [5, 2, 3, 4])": (X, lambda x: np.broadcast_to(x, (5, 2, 3, 4))),
    "tract_core_downsample(x, axis = 2, stride = 3, modulo = 1)": (X, lambda x: x[..., 1::3]),
    "tract_core_downsample(x, axis = 1, stride = -1)": (X, lambda x: x[:, ::-1]),
    "tract_core_trilu(x, k = 1, upper = true)": (X, lambda x: np.triu(x, 1)),
    "tract_core_trilu(x, k = -1, upper = false)": (X, lambda x: np.tril(x, -1)),
    "tract_core_cumsum(x, axis = 1)": (X, lambda x: np.cumsum(x, 1)),
    "tract_core_cumsum(x, axis = 2, reverse = true)": (X, lambda x: np.cumsum(x[..., ::-1], 2)[..., ::-1]),
    "tract_core_cumsum(x, axis = 2, exclusive = true)": (X, lambda x: np.cumsum(x, 2) - x),
    "tract_core_product_reduce(x, axes = [0, 2])": (X, lambda x: np.prod(x, (0, 2), keepdims=True)),
    "tract_core_argmax_reduce_last(x, axes = [1])": (
        np.round(X),
        lambda x: 2 - np.argmax(x[:, ::-1], 1, keepdims=True),
    ),
    "tract_core_argmin_reduce_last(x, axes = [2])": (
        np.round(X),
        lambda x: 3 - np.argmin(x[..., ::-1], 2, keepdims=True),
    ),
    "tract_core_one_hot(x, axis = 1, dim = 8, value_off = -1.0)": (
        np.array([[7, 0], [-1, 3]]),
        lambda x: np.where(np.arange(8)[None, :, None] == x[:, None] % 8, 1.0, -1.0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", UNARY)
def test_of_one_tensor(call: str):
    x, expected = UNARY[call]
    close(run_operation(call, x=x), expected(x))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tract_core_bitand", np.bitwise_and),
        ("tract_core_bitor", np.bitwise_or),
        ("tract_core_bitxor", np.bitwise_xor),
        ("tract_shl", np.left_shift),
        ("tract_shr", np.right_shift),
    ],
)
def test_bits(name: str, expected: Callable[[Any, Any], Any]):
    y = np.array([3, 5]) if "sh" in name else np.array([-6, 5])
    close(run_operation(f"{name}(x, y)", x=INTS, y=y), expected(INTS, y[:, None]))


def test_xor():
    x, y = np.array([[True, False], [True, False]]), np.array([True, False])
    close(run_operation("tract_core_xor(x, y)", x=x, y=y), x ^ y[:, None])


def test_range():
    close(run_operation("tract_core_range(1, 8, step = 3)"), np.arange(1, 8, 3))
    close(run_operation("tract_core_range(5, 0, step = -2)"), np.arange(5, 0, -2))


def test_dyn_slice():
    call = "tract_core_dyn_slice(x, b, e, len = 2, axis = 2)"
    close(run_operation(call, x=X, b=np.array(1), e=np.array(3)), X[..., 1:3])


def test_gathering():
    indices = np.array([[2, 0], [-1, 1]])
    close(run_operation("tract_core_gather(x, i, axis = 1)", x=X, i=indices), np.take(X, indices, 1))
    indices = RANDOM.integers(-4, 4, (2, 3, 5))
    close(
        run_operation("tract_core_gather_elements(x, i, axis = 2)", x=X, i=indices),
        np.take_along_axis(X, indices % 4, 2),
    )
    indices = np.array([[1, 2], [0, 1]])
    close(run_operation("tract_core_gather_nd(x, i, batch_dims = 0)", x=X, i=indices), X[indices[:, 0], indices[:, 1]])
    close(
        run_operation("tract_core_gather_nd(x, i, batch_dims = 1)", x=X, i=indices),
        np.stack([X[each, indices[each, 0], indices[each, 1]] for each in range(2)]),
    )


REDUCTIONS = {"none": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scattering(reduction: str):
    indices, updates = np.array([[[1], [-3], [0]]]), RANDOM.standard_normal((1, 3, 1)).astype(np.float32)
    expected = X.copy()
    for at in range(3):
        place = 0, at, indices[0, at, 0]
        expected[place] = REDUCTIONS[reduction](expected[place], updates[0, at, 0])
    call = f"tract_core_scatter_elements(x, i, u, axis = 2, reduction = '{reduction}')"
    close(run_operation(call, x=X, i=indices, u=updates), expected)
    places, rows = np.array([[1, 0], [0, 2]]), RANDOM.standard_normal((2, 4)).astype(np.float32)
    expected = X.copy()
    for place, row in zip(places, rows, strict=True):
        expected[tuple(place)] = REDUCTIONS[reduction](expected[tuple(place)], row)
    call = f"tract_core_scatter_nd(x, i, u, reduction = '{reduction}')"
    close(run_operation(call, x=X, i=places, u=rows), expected)


def test_topk():
    values, indices = run_operation("v, i = tract_core_topk(x, 2, axis = 2, largest = true)", x=X)
    order = np.argsort(-X, 2)[..., :2]
    close(indices, order)
    close(values, np.take_along_axis(X, order, 2))


# ---- norms, transforms and cells -------------------------------------------------------------------------------------
def test_norms():
    normal = X / np.sqrt((X**2).mean(1, keepdims=True) + 1e-5)
    close(run_operation("tract_core_rms_norm(x, axis = 1, eps = 1e-5)", x=X), normal)
    close(run_operation("tract_transformers_rms_norm(x, axis = 1, eps = 1e-5)", x=X), normal)
    scale = np.array([2.0, 0.5, 1.0, -1.0], np.float32)
    close(run_operation("tract_core_scaled_rms_norm(x, s, axis = 1, eps = 1e-5)", x=X, s=scale), normal * scale)


def test_clamped_swiglu():
    gate, up = X * 4, X[::-1] * 4
    limited = np.minimum(gate, 2.0)
    expected = (np.clip(up, -2, 2) + 1) * limited * logistic(1.5 * limited)
    close(run_operation("tract_core_clamped_swiglu(g, u, alpha = 1.5, limit = 2.0)", g=gate, u=up), expected)


def test_epilogues():
    sums, other = (RANDOM.standard_normal((2, 12)).astype(np.float32) for _ in range(2))
    previous = RANDOM.standard_normal((2, 3)).astype(np.float32)
    i, o, f, g = (sums[:, at : at + 3] for at in range(0, 12, 3))
    cells = logistic(f) * previous + logistic(i) * np.tanh(g)
    ht, ct = run_operation("h, c = tract_core_lstm_epilogue(s, p, hidden = 3)", s=sums, p=previous)
    close(ct, cells)
    close(ht, logistic(o) * np.tanh(cells))
    z, r = (logistic(sums[:, at : at + 3] + other[:, at : at + 3]) for at in (0, 3))
    n = np.tanh(sums[:, 6:9] + r * other[:, 6:9])
    call = "tract_core_gru_epilogue(x, r, p, hidden = 3)"
    close(run_operation(call, x=sums[:, :9], r=other[:, :9], p=previous), (1 - z) * n + z * previous)


def complex_of(x: np.ndarray) -> np.ndarray:
    return x[..., 0] + 1j * x[..., 1]


def parts_of(x: np.ndarray) -> np.ndarray:
    return np.stack([x.real, x.imag], -1)


def test_fft():
    x = RANDOM.standard_normal((2, 6, 3, 2)).astype(np.float32)
    forward, backward = (f"tract_core_fft(x, axis = 1, inverse = {each})" for each in ("false", "true"))
    close(run_operation(forward, x=x), parts_of(np.fft.fft(complex_of(x), axis=1)))
    close(run_operation(backward, x=x), parts_of(np.fft.ifft(complex_of(x), axis=1) * 6))


@pytest.mark.parametrize("width", [0, 4, 8])
def test_stft(width: int):
    x = RANDOM.standard_normal((2, 20, 2)).astype(np.float32)
    window = RANDOM.standard_normal(width).astype(np.float32)
    factors = np.pad(window, (8 - width) // 2) if width else np.ones(8)
    frames = np.stack([complex_of(x)[:, at : at + 8] * factors for at in range(0, 13, 3)], 1)
    given = {"x": x, "w": window} if width else {"x": x}
    call = f"tract_core_stft(x, axis = 1, frame = 8, stride = 3{', window = w' if width else ''})"
    close(run_operation(call, **given), parts_of(np.fft.fft(frames, axis=2)))


# ---- attention -------------------------------------------------------------------------------------------------------
def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any = 0.0, scale: float | None = None) -> np.ndarray:
    k, v = (np.repeat(each, q.shape[-3] // each.shape[-3], -3) for each in (k, v))
    return softmax(q @ np.swapaxes(k, -1, -2) * (scale or q.shape[-1] ** -0.5) + mask, -1) @ v


ATTENTION = "tract_transformers_sdpa(q, k, v, {}datum_type = 'f32', acc_datum_type = 'f32', is_causal = {})"


@pytest.mark.parametrize(("lead", "heads", "groups"), [((), 2, 2), ((2,), 4, 2)])
def test_sdpa(lead: tuple[int, ...], heads: int, groups: int):
    q = RANDOM.standard_normal((*lead, heads, 5, 3)).astype(np.float32)
    k = RANDOM.standard_normal((*lead, groups, 5, 3)).astype(np.float32)
    v = RANDOM.standard_normal((*lead, groups, 5, 6)).astype(np.float32)
    close(run_operation(ATTENTION.format("", "false"), q=q, k=k, v=v), attention(q, k, v))
    close(run_operation(ATTENTION.format("scale = 0.3, ", "false"), q=q, k=k, v=v), attention(q, k, v, scale=0.3))
    causal = np.where(np.tri(5) > 0, 0, -np.inf)
    close(run_operation(ATTENTION.format("", "true"), q=q, k=k, v=v), attention(q, k, v, causal))
    mask = RANDOM.standard_normal((5, 5)).astype(np.float32)
    close(run_operation(ATTENTION.format("mask, ", "false"), q=q, k=k, v=v, mask=mask), attention(q, k, v, mask))
    shown = ATTENTION.format("select(mask, 0.0, -inf), ", "false")
    close(run_operation(shown, q=q, k=k, v=v, mask=np.tri(5) > 0), attention(q, k, v, causal))


def test_scaled_masked_softmax():
    mask = RANDOM.standard_normal((3, 4)).astype(np.float32)
    name = "tract_transformers_scaled_masked_softmax"
    close(run_operation(f"{name}(x, m, scale = 0.5)", x=X, m=mask), softmax(X * 0.5 + mask, 2))
    shown = np.array([[True, False, True, True], [False] * 4, [True] * 4])
    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num(softmax(np.where(shown, X, -np.inf), 2))
    close(run_operation(f"{name}(x, m, scale = 1.0, post_softmax_mask = true)", x=X, m=shown), expected)


def test_apply_rope():
    angles = RANDOM.standard_normal((3, 4)).astype(np.float32)
    turned = np.concatenate([-X[..., 2:], X[..., :2]], -1)
    call = "tract_transformers_apply_rope(x, c, s)"
    close(
        run_operation(call, x=X, c=np.cos(angles), s=np.sin(angles)),
        X * np.cos(angles) + turned * np.sin(angles),
    )


# ---- images ----------------------------------------------------------------------------------------------------------
def weights_of(x: float, extent: int, kind: str, mode: str) -> list[tuple[int, float]]:
    """Places of the input, which may be outside, and their weights."""
    first = math.floor(x)
    if kind == "nearest":
        rounded = {
            "floor": math.floor,
            "ceil": math.ceil,
            "even": round,
            "round_prefer_ceil": lambda x: math.floor(x + 0.5),
        }
        return [(int(rounded[mode](x)), 1.0)]
    if kind == "linear":
        return [(first, 1 - (x - first)), (first + 1, x - first)]
    found = []
    for place in range(first - 1, first + 3):
        t, a = abs(place - x), -0.75
        near, far = (a + 2) * t**3 - (a + 3) * t**2 + 1, a * (t**3 - 5 * t**2 + 8 * t - 4)
        found.append((place, near if t <= 1 else far))
    return found


POSITIONS: dict[str, Callable[[int, int, int], float]] = {
    "half_pixel": lambda i, n, m: (i + 0.5) * n / m - 0.5,
    "pytorch_half_pixel": lambda i, n, m: (i + 0.5) * n / m - 0.5 if m > 1 else 0.0,
    "tf_half_pixel_for_nn": lambda i, n, m: (i + 0.5) * n / m,
    "align_corners": lambda i, n, m: i * (n - 1) / (m - 1) if m > 1 else 0.0,
    "asymmetric": lambda i, n, m: i * n / m,
}


@pytest.mark.parametrize("transformer", POSITIONS)
@pytest.mark.parametrize(
    ("kind", "mode"), [("nearest", "floor"), ("nearest", "round_prefer_ceil"), ("linear", "floor"), ("cubic", "floor")]
)
@pytest.mark.parametrize("size", [8, 2, 1])
def test_resize(transformer: str, kind: str, mode: str, size: int):
    x = RANDOM.standard_normal((2, 4)).astype(np.float32)
    expected = np.zeros((2, size))
    for i in range(size):
        for place, weight in weights_of(POSITIONS[transformer](i, 4, size), 4, kind, mode):
            expected[:, i] += weight * x[:, min(max(place, 0), 3)]
    call = (
        f"tract_core_resize(x, sizes = [2, {size}], coord_transformer = '{transformer}', interpolator = '{kind}', "
        f"nearest_mode = '{mode}')"
    )
    close(run_operation(call, x=x), expected)
    close(run_operation(call.replace(f"sizes = [2, {size}]", f"scales = [1.0, {size / 4}]"), x=x), expected)


def mirrored(place: int, extent: int, aligned: bool) -> int:
    row = list(range(extent)) + list(range(extent - (2 if aligned else 1), 0 if aligned else -1, -1))
    return row[place % len(row)]


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("aligned", [False, True])
def test_grid_sample(mode: str, padding: str, aligned: bool):
    x = RANDOM.standard_normal((1, 2, 5)).astype(np.float32)
    grid = RANDOM.uniform(-1.8, 1.8, (1, 7, 1)).astype(np.float32)
    expected = np.zeros((1, 2, 7))
    for at, value in enumerate(grid[0, :, 0]):
        position = (value + 1) / 2 * 4 if aligned else (value + 1) / 2 * 5 - 0.5
        kind = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
        for place, weight in weights_of(float(position), 5, kind, "even"):
            if padding == "reflection":
                place = mirrored(place, 5, aligned)
            elif padding == "border":
                place = min(max(place, 0), 4)
            if 0 <= place < 5:
                expected[0, :, at] += weight * x[0, :, place]
    aligned_ = str(aligned).lower()
    call = f"tract_core_grid_sample(x, g, mode = '{mode}', padding_mode = '{padding}', align_corners = {aligned_})"
    close(run_operation(call, x=x, g=grid), expected)


# ---- operations that strings describe --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expression", "shapes"),
    [
        ("mk,kn->mn", [(2, 3), (3, 4)]),
        ("bij , bjk -> kbi", [(2, 3, 4), (2, 4, 5)]),
        ("amk,nk->mn", [(3, 2, 4), (5, 4)]),
        ("ij->j", [(2, 3)]),
        ("ii->i", [(3, 3)]),
        ("i,j->ij", [(2,), (3,)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("ij,ij->", [(2, 3), (2, 3)]),
    ],
)
def test_einsum(expression: str, shapes: list[tuple[int, ...]]):
    inputs = {f"x{at}": RANDOM.standard_normal(shape).astype(np.float32) for at, shape in enumerate(shapes)}
    call = f"tract_core_einsum([{', '.join(inputs)}], expr = '{expression}', acc = 'f32', output = '')"
    close(run_operation(call, **inputs), np.einsum(expression, *inputs.values()))


def test_a_letter_of_the_result_alone_is_an_extent_of_one():
    x, y = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((1, 2, 3), (4, 3)))
    result = run_operation("tract_core_einsum([x, y], expr = 'amk,nk->bmn', acc = 'f32')", x=x, y=y)
    close(result, np.einsum("amk,nk->mn", x, y)[None])


def test_matrices_with_numbered_axes_as_old_files_have_them():
    text = """version 1.0;
extension tract_registry tract_core;
graph g(x, y) -> (z, q)
{
    x = external(shape = [5, 2, 3]);
    y = external(shape = [5, 4, 3]);
    z = tract_core_matmul(x, y, axes = [1, 2, 2, 1, 2, 1]);
    q = tract_core_qmatmul(tract_core_cast(x, to = 'i8'), tract_core_cast(y, to = 'i8'), axes = [1, 2, 2, 1, 1, 2],
        a0 = 0, a_scale = 1.0, b0 = 0, b_scale = 1.0, c0 = 1, c_scale = 1.0, output_type = 'i8');
}
"""
    snapshot = snapshot_of({"graph.nnef": text})
    messages = [each.message for each in snapshot.diagnostics("graph.nnef")]
    assert messages == [
        "tract 0.23 computes something else for 'tract_core_matmul': write 'tract_core_einsum'",
        "tract 0.23 does not load 'tract_core_qmatmul': write 'tract_core_einsum_q'",
    ]
    graph = snapshot.compose(OperatorName("graph.nnef", "g")).graph
    assert graph is not None
    shapes = [tuple(each.value for each in graph.tensors[name].shape) for name in ("z", "q")]
    assert shapes == [(5, 4, 2), (5, 2, 4)]


@pytest.mark.parametrize("gate", ["softmax_topk", "softmax_all", "sigmoid", "raw"])
@pytest.mark.parametrize("activation", ["relu", "silu", "gelu", "swiglu"])
def test_a_mixture_of_experts(gate: str, activation: str):
    shapes = {"x": (4, 6), "wg": (3, 6), "w1": (3, 6, 5), "w2": (3, 5, 6), "w3": (3, 6, 5)}
    given = {name: RANDOM.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    call = f"tract_moe_ffn(x, wg, w1, w2, w3, k = 2, activation = '{activation}', gate = '{gate}')"
    functions = {"relu": lambda x: np.maximum(x, 0), "gelu": gelu}
    active = functions.get(activation, lambda x: x * logistic(x))
    x, logits = given["x"], given["x"] @ given["wg"].T
    places = np.argsort(-logits, 1)[:, :2]
    best = np.take_along_axis(logits, places, 1)
    weights = {
        "softmax_topk": lambda: softmax(best, 1),
        "softmax_all": lambda: np.take_along_axis(softmax(logits, 1), places, 1),
        "sigmoid": lambda: logistic(best),
        "raw": lambda: best,
    }[gate]()
    hidden = active(np.einsum("td,edh->teh", x, given["w1"])) * np.einsum("td,edh->teh", x, given["w3"])
    results = np.take_along_axis(np.einsum("teh,ehd->ted", hidden, given["w2"]), places[..., None], 1)
    close(run_operation(call, **given), (results * weights[..., None]).sum(1))


def test_a_step_of_a_causal_convolution():
    x, w, state = (RANDOM.standard_normal(each).astype(np.float32) for each in ((1, 3, 2), (3, 1, 4), (1, 3, 4)))
    y, last = run_operation("y, s = tract_transformers_causal_conv1d_update(x, w, i)", x=x, w=w, i=state)
    joined = np.concatenate([state, x], 2)
    sums = np.stack([(joined[:, :, at + 1 : at + 5] * w[:, 0]).sum(2) for at in range(2)], 2)
    close(y, sums * logistic(sums))
    close(last, joined[:, :, 2:])


def test_a_gated_delta_net():
    shapes = {
        "q": (1, 3, 2, 4),
        "k": (1, 3, 2, 4),
        "v": (1, 3, 4, 4),
        "g": (1, 3, 4),
        "b": (1, 3, 4),
        "i": (1, 4, 4, 4),
    }
    given = {name: RANDOM.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    q, k = (each / np.sqrt((each**2).sum(-1, keepdims=True) + 1e-6) for each in (given["q"], given["k"]))
    state, expected = given["i"][0].copy(), np.zeros((1, 3, 4, 4))
    for time in range(3):
        for head in range(4):
            state[head] *= np.exp(given["g"][0, time, head])
            change = (given["v"][0, time, head] - k[0, time, head // 2] @ state[head]) * given["b"][0, time, head]
            state[head] += np.outer(k[0, time, head // 2], change)
            expected[0, time, head] = q[0, time, head // 2] @ state[head] / 2
    y, last = run_operation("y, s = tract_transformers_gdn_recurrent(q, k, v, g, b, i)", **given)
    close(y, expected)
    close(last, state[None])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("mk,kn", "'expr' is a string such as 'mk,kn->mn'"),
        ("mk,kn,n->mn", "'expr' is about 3 inputs, but there are 2"),
    ],
)
def test_expressions_of_einsum_that_say_nothing(expression: str, message: str):
    text = f"""version 1.0;
extension tract_registry tract_core;
graph g(x, y) -> (z)
{{
    x = external(shape = [2, 3]);
    y = external(shape = [3, 4]);
    z = tract_core_einsum([x, y], expr = "{expression}", acc = "f32", output = "");
}}
"""
    assert [each.message for each in snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")] == [message]


def test_einsum_of_quantized_tensors():
    x, y = RANDOM.integers(0, 255, (3, 4)), RANDOM.integers(0, 255, (4, 5))
    scales = ", ".join(f"{name} = {value}" for name, value in {"a0": 120, "b0": 99, "c0": 128}.items())
    call = (
        f"tract_core_einsum_q([x, y], expr = 'mk,kn,,,,,,,->mn', acc = 'i32', output = 'u8', bias = 3, {scales}, "
        "a_scale = 0.02, b_scale = 0.01, c_scale = 0.05)"
    )
    expected = np.clip(np.round(((x - 120) @ (y - 99) + 3) * (0.02 * 0.01 / 0.05)) + 128, 0, 255)
    assert np.abs(run_operation(call, x=x, y=y) - expected).max() <= 1  # ties


SCAN = """version 1.0;
extension tract_registry tract_core;

fragment step(
    h: tensor<scalar>, __x_t: tensor<scalar>, w: tensor<scalar>
) -> (h_next: tensor<scalar>, __y_t: tensor<scalar>)
{
    h_next = tanh(add(matmul(__x_t, w), h));
    __y_t = mul(h_next, 2.0);
}

graph g(x, w, h) -> (all, last)
{
    x = external(shape = [6, 2]);
    w = external(shape = [2, 2]);
    h = external(shape = [2, 2]);
    (all, last) = tract_core_scan(
        body = "step", scan = [("/x.t", x, 0, STEP)], full = [("w", w)], state = [("h", h, "h_next")],
        output = [("/y.t", "full", 0, STEP), ("h_next", "last", 0, STEP)], skip = 0
    );
}
"""


@pytest.mark.parametrize("step", [2, -2])
def test_scan(step: int):
    x, w, h = (RANDOM.standard_normal((n, 2)).astype(np.float32) for n in (6, 2, 2))
    outputs = run_text(SCAN.replace("STEP", str(step)), {"x": x, "w": w, "h": h})
    found = np.zeros_like(x)
    state = h
    for at in (0, 2, 4) if step > 0 else (4, 2, 0):
        state = np.tanh(x[at : at + 2] @ w + state)
        found[at : at + 2] = state * 2
    close(outputs["all"], found)
    close(outputs["last"], state)


def test_a_scan_with_an_unknown_number_of_turns_has_shapes():
    text = (
        SCAN.replace("STEP", "1")
        .replace("shape = [6, 2]", "shape = [S, 2]")
        .replace("h = external(shape = [2, 2])", "h = external(shape = [1, 2])")
    )
    snapshot = snapshot_of({"graph.nnef": text.replace("tract_core;", "tract_core;\nextension tract_symbol S;")})
    assert not snapshot.diagnostics("graph.nnef")
    composed = snapshot.compose(OperatorName("graph.nnef", "g")).graph
    assert composed is not None
    shapes = {name: composed.tensors[name].shape for name in ("all", "last")}
    assert {name: [str(each) for each in shape] for name, shape in shapes.items()} == {
        "all": ["S", "2"],
        "last": ["1", "2"],
    }


def test_sizes_of_a_resize_may_be_scalars():
    x = np.array([1.0, 2.0], np.float32)
    close(run_operation("tract_core_resize(x, sizes = [4.0], coord_transformer = 'asymmetric')", x=x), [1, 1, 2, 2])


def test_scan_of_no_fragment():
    text = SCAN.replace("STEP", "2").replace('"step"', '"other"')
    found = [each.message for each in snapshot_of({"graph.nnef": text}).diagnostics("graph.nnef")]
    assert "there is no fragment 'other'" in found


# ---- tract_onnx and tract_pulse --------------------------------------------------------------------------------------
def test_lrn():
    x = RANDOM.standard_normal((2, 5, 3)).astype(np.float32)
    for size, before, after in ((3, 1, 1), (4, 1, 2)):
        sums = [(x[:, max(at - before, 0) : at + after + 1] ** 2).sum(1) for at in range(5)]
        expected = x / (2.0 + 0.3 / size * np.stack(sums, 1)) ** 0.5
        call = f"tract_onnx_lrn(x, alpha = 0.3, beta = 0.5, bias = 2.0, size = {size})"
        close(run_operation(call, x=x), expected)


def test_lookups():
    keys, values = np.array([7, 9, 4]), np.array([0.5, 1.5, 2.5], np.float32)
    places = np.array([[2, 0], [-1, 3]])
    call = "tract_onnx_ml_direct_lookup(x, v, f)"
    close(run_operation(call, x=places, v=values, f=np.float32(-9)), [[2.5, 0.5], [-9, -9]])
    call = "tract_onnx_ml_reverse_lookup(x, k, f)"
    close(run_operation(call, x=np.array([4, 5, 7]), k=keys, f=np.array(-1)), [2, -1, 0])


def test_non_zero():
    x = np.array([[0, 3], [4, 0], [5, 6]])
    close(run_operation("tract_onnx_non_zero(x, count_symbol = 'n')", x=x), np.stack(np.nonzero(x)))


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        ("tract_onnx_multinomial(x, dtype = 6, sample_size = 3, seed = 1.0)", (2, 3)),
        (
            "tract_transformers_dyn_kv_cache(x, name = 'k', axis = 1, datum_type = 'f32', "
            "past_sequence_shape = [2, 5], input_sequence_shape = [2, 4])",
            (2, 9),
        ),
    ],
)
def test_shapes_of_what_depends_on_state_or_chance(call: str, shape: tuple[int, ...]):
    text = f"""version 1.0;
extension tract_registry tract_core;
graph g(x) -> (y)
{{
    x = external(shape = [2, 4]);
    y = {call};
}}
"""
    snapshot = snapshot_of({"graph.nnef": text})
    assert not [each for each in snapshot.diagnostics("graph.nnef") if each.rule.name != "missing-registry"]
    composed = snapshot.compose(OperatorName("graph.nnef", "g")).graph
    assert composed is not None
    found = composed.tensors["y"]
    assert isinstance(found, Tensor)
    assert [str(each) for each in found.shape or ()] == [str(each) for each in shape]


# ---- where tract differs from the text -------------------------------------------------------------------------------
def test_integers_are_divided_toward_zero():
    x, y = np.array([[7, -7, 6], [7, -7, -6]]), np.array([2, -2])
    text = """version 1.0;
extension tract_registry tract_core;
graph g(x, y, r) -> (z, f, c, q)
{
    x = external<integer>(shape = [2, 3]);
    y = external<integer>(shape = [2]);
    r = external(shape = [2, 3]);
    z = div(x, y);
    f = floor(x);
    c = ceil(r);
    q = div(r, 4.0);
}
"""
    real = RANDOM.standard_normal((2, 3)).astype(np.float32)
    outputs = run_text(text, {"x": x, "y": y, "r": real})
    close(outputs["z"], np.trunc(x / y[:, None]))
    close(outputs["f"], x)
    close(outputs["c"], np.ceil(real))
    close(outputs["q"], real / 4)


def test_a_scalar_beside_integers_is_an_integer():
    close(run_operation("mul(x, -2.0)", x=np.array([1, -3], np.int64)), [-2, 6])


@pytest.mark.parametrize(
    ("call", "x", "expected"),
    [
        ("add(x, x)", np.array([200, 3], np.uint8), [144, 6]),
        ("sub(x, x * 2)", np.array([100, 3], np.uint8), [156, 253]),
        ("mul(x, x)", np.array([17, 300], np.int16), [289, 24464]),
        ("neg(x)", np.array([200, 0], np.uint8), [0, 0]),
        ("neg(x)", np.array([-128, 5], np.int8), [-128, -5]),
        ("abs(x)", np.array([-128, 5], np.int8), [-128, 5]),
        ("tract_shl(x, tract_core_cast([1, 2], to = 'u8'))", np.array([200, 100], np.uint8), [144, 144]),
        ("tract_core_bitnot(x)", np.array([200, 0], np.uint8), [55, 255]),
        ("sum_reduce(x, axes = [0])", np.array([200, 100], np.uint8), [255]),
        ("square(x)", np.array([-100, 3], np.int8), [127, 9]),
        ("tract_core_cast(x, to = 'u8')", np.array([300, -5]), [44, 251]),
        ("tract_core_cast(x, to = 'i8')", np.array([300, 200]), [44, -56]),
        ("tract_core_cast(x, to = 'u8')", np.array([300.0, -5.0, 2.7]), [255, 0, 2]),
        ("tract_core_cast(x, to = 'u32')", np.array([np.inf, -np.inf, 2.7]), [1 << 32, 0, 2]),
        ("eq(tract_core_cast(x, to = 'i64'), 0)", np.array([np.inf, -np.inf, 0.7]), [False, False, True]),
        ("add(tract_core_cast(x, to = 'i64'), 1)", np.array([255], np.uint8), [256]),
        ("relu(tract_core_cast(x, to = 'f32'))", np.array([255], np.uint8), [255.0]),
    ],
)  # fmt: skip
def test_integers_of_few_bits_wrap_around_or_end_at_their_bounds(call: str, x: np.ndarray, expected: list[float]):
    kinds = {"f": "f32", "u": f"u{8 * x.itemsize}", "i": f"i{8 * x.itemsize}"}
    text = f"""version 1.0;
extension tract_registry tract_core;
graph net(x) -> (y)
{{
    x = tract_core_external(shape = [{len(x)}], datum_type = '{kinds[x.dtype.kind]}');
    y = {call};
}}
"""
    assert run_text(text, {"x": x})["y"].tolist() == expected
