"""Operations that tract adds to NNEF 1.0, run one by one and compared with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.nnef1.running import run_operation

RANDOM = np.random.default_rng(51)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
INTS = np.array([[7, -7, 0], [12, -1, 1023]])
TIES = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49, 2.51, 7.0], np.float32)
ODD = np.array([1.0, np.inf, -np.inf, np.nan], np.float32)


def close(actual: object, expected: object) -> None:
    """Demands values that agree to the precision of floats."""
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
