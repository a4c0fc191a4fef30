"""Operators of TenniS against NumPy, and the facts with numbers of its text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_analysis.skriptnd.names import library_names
from snd_runtime.errors import EvaluationFailed
from support.runtime.invoking import invoker

tennis = invoker("tennis")
RANDOM = np.random.default_rng(38)
X, Y = RANDOM.standard_normal((2, 3, 4, 5)), RANDOM.standard_normal((2, 1, 4, 1))
C, D, G, H = RANDOM.standard_normal((4, 3))
V = np.abs(RANDOM.standard_normal(3)) + 0.5
CHANNELS = (slice(None), None, None)


def close(found: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def normalized(epsilon: float) -> np.ndarray:
    return (X - C[CHANNELS]) / np.sqrt(V[CHANNELS] + epsilon)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(x)
    return powers / powers.sum(axis, keepdims=True)


CASES: dict[str, tuple[tuple[Any, ...], dict[str, Any], Any]] = {
    "field": (((X, X + 1),), {"offset": 1}, X + 1),
    "transpose": ((X,), {"permute": [0, 2, 3, 1]}, X.transpose(0, 2, 3, 1)),
    "permute": ((X,), {}, X.T),
    "reshape": ((X,), {"shape": [4, -1, 5]}, X.reshape(4, -1, 5)),
    "dimshuffle": ((X,), {"dim": 1, "shuffle": [2, 0, 0, 1]}, X[:, [2, 0, 0, 1]]),
    "shape": ((X,), {}, [2, 3, 4, 5]),
    "to_float": ((X > 0,), {}, (X > 0).astype(float)),
    "flatten": ((X,), {}, X.reshape(2, 60)),
    "pad": ((X,), {"padding": [0, 0, 1, 0, 2, 0, 0, 3], "padding_value": 7.0},
            np.pad(X, ((0, 0), (1, 0), (2, 0), (0, 3)), constant_values=7)),
    "add_bias": ((X, C), {"format": "NCHW"}, X + C[CHANNELS]),
    "batch_norm": ((X, C, V), {"dim": 1}, normalized(0.001)),
    "batch_scale": ((X, C, D), {"dim": 1}, X * C[CHANNELS] + D[CHANNELS]),
    "fused_batch_norm": ((X, G, H, C, V), {"dim": 1, "epsilon": 0.5}, normalized(0.5) * G[CHANNELS] + H[CHANNELS]),
    "add": ((X, Y), {}, X + Y),
    "sub": ((X, Y), {}, X - Y),
    "mul": ((X, Y), {}, X * Y),
    "div": ((X, Y), {}, X / Y),
    "inner_prod": ((X[0, 0], X[0, 1].T), {}, X[0, 0] @ X[0, 1].T),
    "relu": ((X,), {}, np.maximum(X, 0)),
    "relu_max": ((X,), {"max": 0.5}, np.clip(X, 0, 0.5)),
    "sigmoid": ((X,), {}, 1 / (1 + np.exp(-X))),
    "prelu": ((X,), {"slope": [0.5, 0.25, 2.0], "dim": 1},
              np.where(X > 0, X, X * np.array([0.5, 0.25, 2.0])[CHANNELS])),
    "softmax": ((X,), {"dim": 1}, softmax(X, 1)),
    "concat": (((X, X[:, :1]),), {"dim": 1}, np.concatenate([X, X[:, :1]], 1)),
}  # fmt: skip
CONVOLUTIONS = {"conv2d", "depthwise_conv2d", "padding_conv2d", "conv2d_bias", "padding_conv2d_bias"}
POOLINGS = {"pooling2d", "pooling2d_v2", "padding_pooling2d_v2"}
APART = {"pack", "resize2d", "image_resize2d"}
PADDINGS = {"tf_conv2d_padding", "tf_pooling2d_padding", "mx_conv2d_padding", "mx_pooling2d_padding"}


def test_every_operator_is_compared():
    public = {name for name in library_names("tennis").definitions if not name.startswith("_")}
    assert public == {*CASES, *CONVOLUTIONS, *POOLINGS, *APART, *PADDINGS}
    assert len(public) == 39, "the 38 of the text, of which one has two names"


@pytest.mark.parametrize("name", CASES)
def test_operator(name: str):
    inputs, attributes, expected = CASES[name]
    close(tennis(name, *inputs, **attributes), expected)


def convolved(x: np.ndarray, w: np.ndarray, stride: tuple[int, int], dilation: tuple[int, int]) -> np.ndarray:
    """A convolution of a padded tensor, NCHW."""
    kernel = w.shape[2:]
    size = [(x.shape[2 + at] - (kernel[at] - 1) * dilation[at] - 1) // stride[at] + 1 for at in (0, 1)]
    found = np.zeros((x.shape[0], w.shape[0], *size))
    for (p, q), (i, j) in ((a, b) for a in np.ndindex(*size) for b in np.ndindex(*kernel)):
        column = x[:, :, p * stride[0] + i * dilation[0], q * stride[1] + j * dilation[1]]
        found[:, :, p, q] += column @ w[:, :, i, j].T
    return found


@pytest.mark.parametrize("name", sorted(CONVOLUTIONS - {"depthwise_conv2d"}))
def test_convolutions_in_both_formats(name: str):
    w = RANDOM.standard_normal((2, 3, 2, 3))
    padded = np.pad(X, ((0, 0), (0, 0), (1, 2), (0, 1)), constant_values=0.5)
    expected = convolved(padded, w, (2, 1), (1, 2))
    bias = ()
    if name.endswith("bias"):
        bias = (np.array([3.0, 4.0]),)
        expected = expected + bias[0][:, None, None]
    given = {"padding": [0, 0, 0, 0, 1, 2, 0, 1], "stride": [1, 1, 2, 1], "dialations": [1, 1, 1, 2]}
    close(tennis(name, X, w, *bias, **given, padding_value=0.5), expected)
    last = {"padding": [0, 0, 1, 2, 0, 1, 0, 0], "stride": [1, 2, 1, 1], "dialations": [1, 1, 2, 1], "format": "NHWC"}
    found = tennis(name, X.transpose(0, 2, 3, 1), w, *bias, **last, padding_value=0.5)
    close(found, expected.transpose(0, 2, 3, 1))


def test_depthwise_convolution():
    w = RANDOM.standard_normal((2, 3, 2, 2))
    parts = [convolved(X[:, [c]], w[[m]][:, [c]], (1, 1), (1, 1)) for c in range(3) for m in range(2)]
    close(tennis("depthwise_conv2d", X, w), np.concatenate(parts, 1))


@pytest.mark.parametrize("border", ["constant", "edge", "wrap"])
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("name", sorted(POOLINGS))
def test_pooling_rounds_sizes_up(name: str, kind: int, border: str):
    padded = np.pad(X, ((0, 0), (0, 0), (1, 2), (2, 3)), mode=border)
    size = [-(-(4 + 2 - 3) // 2) + 1, -(-(5 + 3 - 2) // 4) + 1]
    expected = np.zeros((2, 3, *size))
    for p, q in np.ndindex(*size):
        window = padded[:, :, 2 * p : 2 * p + 3, 4 * q : 4 * q + 2]
        assert window.shape[2:] == (3, 2)
        expected[:, :, p, q] = window.mean((2, 3)) if kind else window.max((2, 3))
    given = {"padding": [0, 0, 0, 0, 1, 1, 2, 1], "ksize": [1, 1, 3, 2], "stride": [1, 1, 2, 4]}
    kinds = {"type_": kind, "padding_type": ["constant", "edge", "wrap"].index(border)}
    close(tennis(name, X, **given, **kinds), expected)


def test_resizing_keeps_what_it_does_not_name():
    assert tennis("resize2d", np.ones((1, 6, 4, 3)), size=[-1, 3, 3, -1]).shape == (1, 3, 3, 3)
    wide = tennis("image_resize2d", X, size=[-1, -1, 8, 10])
    close(wide.reshape(2, 3, 4, 2, 5, 2).mean((3, 5))[:, :, 1:-1, 1:-1], X[:, :, 1:-1, 1:-1] * 0.5625 + _around(X))


def _around(x: np.ndarray) -> np.ndarray:
    """Return the part of the neighbours in the mean of the four elements that linear upsampling by 2 makes of one."""
    rows, columns = (x[:, :, :-2, 1:-1] + x[:, :, 2:, 1:-1]), (x[:, :, 1:-1, :-2] + x[:, :, 1:-1, 2:])
    corners = x[:, :, :-2, :-2] + x[:, :, 2:, 2:] + x[:, :, :-2, 2:] + x[:, :, 2:, :-2]
    return rows * 0.09375 + columns * 0.09375 + corners * 0.015625


def test_packs():
    first, second = tennis("pack", (X, Y.repeat(3, 1).repeat(5, 3)))
    close(first, X)
    close(second, Y.repeat(3, 1).repeat(5, 3))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_a_single_number_combines_with_every_tensor(name: str):
    """Appendix 1 has scalars, tensors, and tensors that are repeated along extents of 1."""
    combine = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[name]
    for x, a in ((X, np.array(2.5)), (np.array(2.5), X), (np.array(2.5), np.array(0.5)), (X, np.array([2.5]))):
        close(tennis(name, x, a), combine(x, a))
    column = np.array([[1.0], [2.0]])
    close(tennis(name, np.array([[3.0, 4.0]]), column), combine(np.array([[3.0, 4.0]]), column))
    with pytest.raises(EvaluationFailed, match="must have one rank, or the one of lower rank a single element"):
        tennis(name, np.ones((2, 2)), np.ones(2))


def test_everything_becomes_a_matrix():
    for x, shape in ((np.array(2.0), (1, 1)), (np.ones(3), (3, 1)), (np.ones((0, 2, 3)), (0, 6))):
        assert tennis("flatten", x).shape == shape


@pytest.mark.parametrize("given", [{}, {"dim": 1}])
def test_one_slope_is_a_number_or_a_list(given: dict[str, Any]):
    expected = np.where(X > 0, X, 0.25 * X)
    close(tennis("prelu", X, slope=0.25, **given), expected)
    close(tennis("prelu", X, slope=[0.25], **given), expected)


@pytest.mark.parametrize(("method", "size"), [("VALID", 3), ("SAME", 4)])
def test_paddings_of_tensorflow(method: str, size: int):
    """For 8 elements, a window of 3 and a stride of 2, the text has 3 and 4 windows."""
    given = {"padding_method": method, "stride": [1, 1, 2, 2]}
    x, w = np.ones((1, 1, 8, 8)), np.ones((1, 1, 3, 3))
    padding = tennis("tf_conv2d_padding", x, w, **given)
    assert tennis("conv2d", x, w, padding=[*padding.ravel().tolist()], stride=[1, 1, 2, 2]).shape == (1, 1, size, size)
    np.testing.assert_array_equal(tennis("tf_pooling2d_padding", x, ksize=[1, 1, 3, 3], **given), padding)


@pytest.mark.parametrize(("valid", "size"), [(True, 3), (False, 4)])
def test_paddings_of_mxnet(valid: bool, size: int):
    """For 8 elements, a window of 3 and a stride of 2, pooling makes 4, and MXNet 3."""
    x, windows = np.ones((1, 1, 8, 8)), {"ksize": [1, 1, 3, 3], "stride": [1, 1, 2, 2]}
    padding = tennis("mx_pooling2d_padding", x, **windows, valid=valid)
    assert tennis("pooling2d", x, **windows, padding=[*padding.ravel().tolist()]).shape == (1, 1, size, size)
    same = tennis("mx_conv2d_padding", x, x, padding=[0, 0, 0, 0, 1, 2, 3, 4])
    np.testing.assert_array_equal(same, [[0, 0], [0, 0], [1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "message"),
    [
        ("resize2d", (X,), {"size": [-1, 3, -1, 3]}, "two adjacent dimensions"),
        ("reshape", (X,), {"shape": [-1, -1]}, "at most one item"),
        ("add", (X, X[:, :2]), {}, "cannot be broadcast"),
        ("conv2d", (X, X), {"stride": [2, 1, 1, 1]}, "must be 1"),
        ("dimshuffle", (X,), {"dim": 1, "shuffle": [3]}, "less than 3"),
        ("reshape", (np.ones((4, 2700)),), {"shape": [-1, 300, 300, 3]}, "do not fill the shape"),
    ],
)
def test_what_the_text_forbids(name: str, inputs: tuple[Any, ...], attributes: dict[str, Any], message: str):
    with pytest.raises(EvaluationFailed, match=message):
        tennis(name, *inputs, **attributes)
