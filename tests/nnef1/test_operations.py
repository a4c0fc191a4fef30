"""Operations of NNEF 1.0, run one by one and compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from support.nnef1.running import run_operation, run_text

RANDOM = np.random.default_rng(15)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
POSITIVE = np.abs(X) + 0.5

UNARY = {
    "copy": lambda x: x,
    "neg": np.negative,
    "rcp": np.reciprocal,
    "exp": np.exp,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": lambda x: np.floor(x + 0.5),
    "sqr": np.square,
    "rsqr": lambda x: x**-2.0,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "elu": lambda x: np.where(x < 0, np.expm1(x), x),
}
OF_POSITIVE = {"log": np.log, "log2": np.log2, "sqrt": np.sqrt, "rsqrt": lambda x: x**-0.5}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "lt": np.less,
    "gt": np.greater,
    "le": np.less_equal,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def close(actual: object, expected: object) -> None:
    """Demand values that agree to the precision of floats."""
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str):
    close(run_operation(f"{name}(x)", x=X), UNARY[name](X))


@pytest.mark.parametrize("name", OF_POSITIVE)
def test_unary_of_positive_numbers(name: str):
    close(run_operation(f"{name}(x)", x=POSITIVE), OF_POSITIVE[name](POSITIVE))


@pytest.mark.parametrize("name", BINARY)
def test_binary_operations_align_shapes_from_the_left(name: str):
    y = RANDOM.standard_normal((2, 3)).astype(np.float32)
    close(run_operation(f"{name}(x, y)", x=X, y=y), BINARY[name](X, y[:, :, None]))
    close(run_operation(f"{name}(y, x)", x=X, y=y), BINARY[name](y[:, :, None], X))


def test_pow():
    close(run_operation("pow(x, 2.5)", x=POSITIVE), POSITIVE**2.5)


def test_logical_operations():
    x, y = np.array([[True, False], [True, False]]), np.array([True, False])
    close(run_operation("and(x, y)", x=x, y=y), x & y[:, None])
    close(run_operation("or(x, y)", x=x, y=y), x | y[:, None])
    close(run_operation("not(x)", x=x), ~x)


def test_select_and_clamp():
    condition = np.array([True, False])
    close(run_operation("select(c, x, 0.0)", c=condition, x=X), np.where(condition[:, None, None], X, 0))
    close(run_operation("clamp(x, -0.5, 0.25)", x=X), np.maximum(np.minimum(X, 0.25), -0.5))


def test_leaky_relu_and_softmax():
    close(run_operation("leaky_relu(x, alpha = 0.3)", x=X), np.where(X < 0, 0.3 * X, X))
    exponents = np.exp(X - X.max(1, keepdims=True))
    close(run_operation("softmax(x)", x=X), exponents / exponents.sum(1, keepdims=True))


def test_shapes():
    close(run_operation("reshape(x, shape = [0, -1])", x=X), X.reshape(2, 12))
    close(run_operation("reshape(x, shape = [12], axis_start = 1, axis_count = 2)", x=X), X.reshape(2, 12))
    close(run_operation("transpose(x, axes = [1, 0])", x=X), X.transpose(1, 0, 2))
    close(run_operation("unsqueeze(x, axes = [0, 4])", x=X), X[None, ..., None])
    close(run_operation("squeeze(x, axes = [1])", x=X[:, :1]), X[:, 0])
    close(run_operation("concat([x, y], axis = 1)", x=X, y=X), np.concatenate([X, X], 1))


def test_matmul_and_linear():
    a, b = X, RANDOM.standard_normal((2, 5, 4)).astype(np.float32)
    close(run_operation("matmul(a, b, transposeB = true)", a=a, b=b), a @ b.transpose(0, 2, 1))
    bias = np.arange(5.0, dtype=np.float32)[None]
    close(run_operation("linear(a, b, c)", a=a[0], b=b[0], c=bias), a[0] @ b[0].T + bias)


def _convolved(x: np.ndarray, filter: np.ndarray, stride: int, dilation: int, padding: tuple[int, int]) -> np.ndarray:
    padded = np.pad(x, ((0, 0), (0, 0), padding))
    span = (filter.shape[2] - 1) * dilation + 1
    starts = range(0, padded.shape[2] - span + 1, stride)
    windows = [padded[:, :, start : start + span : dilation] for start in starts]
    return np.stack([np.einsum("bck,nck->bn", window, filter) for window in windows], 2)


@pytest.mark.parametrize(
    ("attributes", "stride", "dilation", "padding"),
    [
        ("", 1, 1, (1, 1)),
        (", stride = [2]", 2, 1, (0, 1)),
        (", dilation = [2]", 1, 2, (2, 2)),
        (", padding = [(2, 1)], stride = [3]", 3, 1, (2, 1)),
    ],
)
def test_conv(attributes: str, stride: int, dilation: int, padding: tuple[int, int]):
    x = RANDOM.standard_normal((2, 3, 8)).astype(np.float32)
    filter = RANDOM.standard_normal((4, 3, 3)).astype(np.float32)
    bias = RANDOM.standard_normal((1, 4)).astype(np.float32)
    expected = _convolved(x, filter, stride, dilation, padding)
    close(run_operation(f"conv(x, f, 0.0{attributes})", x=x, f=filter), expected)
    close(run_operation(f"conv(x, f, b{attributes})", x=x, f=filter, b=bias), expected + bias[:, :, None])


def test_constant():
    text = """version 1.0;
graph g(x) -> (y)
{
    x = external(shape = [2, 2]);
    c = constant(shape = [2, 2], value = [1.0, 2.0, 3.0, 4.0]);
    y = mul(x, c);
}
"""
    close(run_text(text, {"x": np.full((2, 2), 2.0)})["y"], [[2, 4], [6, 8]])


def test_fragments_are_elaborated_where_they_are_invoked():
    text = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;
fragment chain( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )
{
    y = chain(x * 2.0 + 1.0, n = n - 1) if n > 0 else x;
}
graph g(x) -> (y)
{
    x = external(shape = [3]);
    y = chain(x, n = 3);
}
"""
    x = np.array([0.0, 1.0, 2.0])
    close(run_text(text, {"x": x})["y"], ((x * 2 + 1) * 2 + 1) * 2 + 1)


def test_symbols_are_dynamic_extents():
    text = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol B;
graph g(x) -> (y)
{
    x = tract_core_external(shape = [B, 2], datum_type = 'f32');
    y = reshape(x, shape = [2 * B]);
}
"""
    for batch in (1, 3):
        x = RANDOM.standard_normal((batch, 2)).astype(np.float32)
        close(run_text(text, {"x": x})["y"], x.reshape(-1))
