"""Operations of NNEF 1.0 against the package of Khronos: its parser, its shapes, and the values of its interpreter.

``nnef`` is a development dependency. Where it can't be installed, these tests are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.workspace import Workspace
from snd_server.running.weights import stored_weights
from snd_server.workspace_files.files import DiskReader
from support.nnef1.running import run_graph, run_text
from support.sampling import sample

nnef = pytest.importorskip("nnef", reason="the package of Khronos has no wheel for this platform")

_RANDOM = np.random.default_rng(0)


def _real(*shape: int) -> Any:
    return _RANDOM.standard_normal(shape).astype(np.float32)


X = _real(2, 3, 4)
IMAGE = _real(1, 4, 7, 6)
_NAMES = {"f": "scalar", "i": "integer", "b": "logical"}
_LOWERED = [
    "softabs", "clamp", "prelu", "rms_pool", "local_response_normalization", "local_mean_normalization",
    "local_variance_normalization", "local_contrast_normalization", "l1_normalization", "l2_normalization",
    "batch_normalization", "nearest_upsample", "nearest_downsample", "area_downsample", "separable_conv",
    "separable_deconv", "linear_quantize", "logarithmic_quantize", "min_max_linear_quantize", "add_n", "moments",
    "copy_n",
]  # fmt: skip
"""Operations that the interpreter knows by their definitions alone."""
_SHAPES_ONLY = ("argmax_pool", "max_pool_with_index", "zero_point_linear_quantize", "softmax(x, axes", "'aligned'")
"""Operations that the interpreter lacks, or reads differently from the text: a minus before a product."""
_UNARY = (
    "copy", "neg", "rcp", "exp", "sin", "cos", "abs", "sign", "floor", "ceil", "round", "sqr", "rsqr", "relu",
    "sigmoid", "elu", "tanh", "softplus", "sinh", "cosh", "tan", "asinh", "atan", "selu", "gelu", "silu",
)  # fmt: skip

CASES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    *((f"y = {name}(x)", {"x": X}) for name in _UNARY),
    *((f"y = {name}(x)", {"x": np.abs(X) + 0.5}) for name in ("log", "log2", "sqrt", "rsqrt")),
    *((f"y = {name}(x, z)", {"x": X, "z": _real(2, 3)}) for name in ("add", "sub", "mul", "div", "min", "max")),
    *((f"y = select({name}(x, z), x, z)", {"x": X, "z": _real(2, 3)}) for name in ("lt", "gt", "le", "ge", "eq", "ne")),
    ("y = pow(x, z)", {"x": np.abs(X), "z": _real(2, 1)}),
    ("y = clamp(x, -0.5, 0.5)", {"x": X}),
    ("y = prelu(x, z)", {"x": X, "z": np.abs(_real(1, 3))}),
    ("y = leaky_relu(x, alpha = 0.2)", {"x": X}),
    ("y = sum_reduce(x, axes = [1])", {"x": X}),
    ("y = sum_reduce(x, axes = [0, 2], normalize = true)", {"x": X}),
    ("y = mean_reduce(x, axes = [2])", {"x": X}),
    ("y = max_reduce(x, axes = [1, 2])", {"x": X}),
    ("y = min_reduce(x, axes = [0])", {"x": X}),
    ("y = argmax_reduce(x, axes = [1])", {"x": X}),
    ("y = argmin_reduce(x, axes = [2])", {"x": X}),
    ("y = softmax(x)", {"x": X}),
    ("y = softmax(x, axes = [1, 2])", {"x": X}),
    ("y = reshape(x, shape = [0, -1])", {"x": X}),
    ("y = reshape(x, shape = [12], axis_start = 1, axis_count = 2)", {"x": X}),
    ("y = transpose(x, axes = [1, 0])", {"x": X}),
    ("y = unsqueeze(x, axes = [0, 2])", {"x": X}),
    ("y = squeeze(x, axes = [0])", {"x": IMAGE}),
    ("y = concat([x, z], axis = 1)", {"x": X, "z": _real(2, 2, 4)}),
    ("y = stack([x, z], axis = 1)", {"x": X, "z": _real(2, 3, 4)}),
    ("y = slice(x, axes = [1, 2], begin = [1, 0], end = [0, -1])", {"x": X}),
    ("y = slice(x, axes = [2], begin = [0], end = [4], stride = [2])", {"x": X}),
    ("y = pad(x, padding = [(0, 0), (1, 2), (0, 1)], border = 'constant', value = 2.0)", {"x": X}),
    ("y = pad(x, padding = [(0, 0), (1, 2), (0, 1)], border = 'reflect')", {"x": X}),
    ("y = pad(x, padding = [(0, 0), (1, 2), (0, 1)], border = 'replicate')", {"x": X}),
    ("y = tile(x, repeats = [1, 2, 3])", {"x": X}),
    ("y = gather(x, i, axis = 1)", {"x": X, "i": np.array([2, 0], np.int32)}),
    ("y = matmul(x, z)", {"x": _real(3, 4), "z": _real(4, 5)}),
    ("y = matmul(x, z, transposeA = true, transposeB = true)", {"x": _real(4, 3), "z": _real(5, 4)}),
    ("y = matmul(x, z)", {"x": _real(2, 3, 4), "z": _real(2, 4, 5)}),
    ("y = linear(x, z, b)", {"x": _real(3, 4), "z": _real(5, 4), "b": _real(1, 5)}),
    (
        "y = conv(x, f, b, padding = [(1, 0), (2, 1)], stride = [2, 1])",
        {"x": IMAGE, "f": _real(6, 4, 3, 2), "b": _real(1, 6)},
    ),
    ("y = conv(x, f, stride = [2, 2], dilation = [2, 1])", {"x": IMAGE, "f": _real(6, 4, 3, 2)}),
    ("y = conv(x, f, groups = 2)", {"x": IMAGE, "f": _real(6, 2, 3, 3)}),
    ("y = conv(x, f, groups = 0)", {"x": IMAGE, "f": _real(4, 1, 3, 3)}),
    ("y = deconv(x, f, stride = [2, 2], padding = [(1, 1), (0, 1)])", {"x": IMAGE, "f": _real(4, 3, 3, 2)}),
    ("y = deconv(x, f, stride = [2, 2], groups = 2)", {"x": IMAGE, "f": _real(4, 3, 3, 3)}),
    ("y = deconv(x, f, stride = [2, 2], output_shape = [1, 3, 13, 12])", {"x": IMAGE, "f": _real(4, 3, 3, 3)}),
    ("y = max_pool(x, size = [1, 1, 3, 2], stride = [1, 1, 2, 2], border = 'ignore')", {"x": IMAGE}),
    (
        "y = max_pool(x, size = [1, 1, 3, 2], stride = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (1, 1), (0, 1)], "
        "border = 'ignore')",
        {"x": IMAGE},
    ),
    (
        "y = max_pool(x, size = [1, 1, 3, 2], stride = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (1, 1), (0, 1)])",
        {"x": -np.abs(IMAGE)},
    ),
    ("y = avg_pool(x, size = [1, 1, 3, 2], stride = [1, 1, 2, 2], border = 'constant')", {"x": IMAGE}),
    (
        "y = avg_pool(x, size = [1, 1, 3, 3], padding = [(0, 0), (0, 0), (1, 1), (1, 1)], border = 'ignore')",
        {"x": IMAGE},
    ),
    ("y = rms_pool(x, size = [1, 1, 3, 2], border = 'constant')", {"x": IMAGE}),
    ("y = box(x, size = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (0, 1), (1, 0)])", {"x": IMAGE}),
    ("y = box(x, size = [1, 3, 1, 1], normalize = true)", {"x": IMAGE}),
    ("y = debox(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2])", {"x": IMAGE}),
    ("y = local_response_normalization(x, size = [1, 3, 1, 1], alpha = 0.5, beta = 0.75, bias = 1.5)", {"x": IMAGE}),
    ("y = local_mean_normalization(x, size = [1, 1, 3, 3])", {"x": IMAGE}),
    ("y = local_variance_normalization(x, size = [1, 1, 3, 3], bias = 0.5, epsilon = 0.1)", {"x": IMAGE}),
    ("y = local_contrast_normalization(x, size = [1, 1, 3, 3], bias = 0.5, epsilon = 0.1)", {"x": IMAGE}),
    ("y = l1_normalization(x, axes = [1], bias = 0.5)", {"x": X}),
    ("y = l2_normalization(x, axes = [1, 2], epsilon = 0.1)", {"x": X}),
    (
        "y = batch_normalization(x, m, v, o, s, epsilon = 0.01)",
        {"x": IMAGE, "m": _real(1, 4), "v": np.abs(_real(1, 4)), "o": _real(1, 4), "s": _real(1, 4)},
    ),
    ("y = nearest_upsample(x, factor = [2, 3])", {"x": IMAGE}),
    ("y = nearest_downsample(x, factor = [1, 2])", {"x": IMAGE}),
    ("y = area_downsample(x, factor = [1, 2])", {"x": IMAGE}),
    ("y = multilinear_upsample(x, factor = [2, 2], method = 'symmetric')", {"x": IMAGE}),
    ("y = multilinear_upsample(x, factor = [2, 2], method = 'aligned')", {"x": IMAGE}),
    ("y = multilinear_upsample(x, factor = [2, 2], method = 'asymmetric')", {"x": IMAGE}),
    ("y = separable_conv(x, f, g)", {"x": IMAGE, "f": _real(4, 1, 3, 3), "g": _real(5, 4, 1, 1)}),
    ("y = separable_deconv(x, f, g)", {"x": IMAGE, "f": _real(5, 1, 3, 3), "g": _real(4, 5, 1, 1)}),
    ("y = argmax_pool(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], border = 'ignore')", {"x": IMAGE}),
    ("y = linear_quantize(x, -1.0, 1.0, bits = 4)", {"x": X}),
    ("y = logarithmic_quantize(x, 2.0, bits = 4)", {"x": X}),
    ("y = min_max_linear_quantize(x, -1.0, 1.0, bits = 4, signed = true, symmetric = false)", {"x": X}),
    ("y = zero_point_linear_quantize(x, 3, 0.1, bits = 8, signed = true, symmetric = false)", {"x": X}),
    ("y = add_n([x, z, x])", {"x": X, "z": _real(2, 3, 4)}),
    ("(m, v) = moments(x, axes = [1, 2])", {"x": X}),
    ("[m, v] = split(x, axis = 1, ratios = [1, 2])", {"x": X}),
    ("[m, v] = unstack(x, axis = 0)", {"x": X}),
    ("[m, v] = copy_n(x, times = 2)", {"x": X}),
    ("(m, v) = max_pool_with_index(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], border = 'ignore')", {"x": IMAGE}),
    ("y = softabs(x, epsilon = 0.1)", {"x": X}),
)


def _text(statement: str, inputs: Mapping[str, Any]) -> tuple[str, list[str]]:
    """A graph of one statement, and its outputs."""
    outputs = statement.partition(" = ")[0].strip("()[]").split(", ")
    lines = [
        f"    {name} = external<{_NAMES[array.dtype.kind]}>(shape = {list(array.shape)});"
        for name, array in inputs.items()
    ]
    head = f"version 1.0;\n\ngraph g({', '.join(inputs)}) -> ({', '.join(outputs)})"
    return "\n".join([head, "{", *lines, f"    {statement};", "}", ""]), outputs


def _interpreted(folder: Path, inputs: Mapping[str, Any], *lowered: str) -> list[Any]:
    with nnef.Session(str(folder), lowered=[*_LOWERED, *lowered]) as session:
        found = session(*inputs.values())
    return [*found] if isinstance(found, tuple | list) else [found]


@pytest.mark.parametrize(
    ("statement", "inputs"), sample(CASES, 40), ids=lambda each: each if isinstance(each, str) else ""
)
def test_operations_have_the_shapes_and_values_of_the_package(
    statement: str, inputs: Mapping[str, Any], tmp_path: Path
):
    text, outputs = _text(statement, inputs)
    (tmp_path / "graph.nnef").write_text(text)
    graph = nnef.parse_string(text)
    nnef.infer_shapes(graph)
    found = run_text(text, inputs)
    for name in outputs:
        assert list(np.shape(found[name])) == list(graph.tensors[name].shape)
    if not any(each in statement for each in _SHAPES_ONLY):
        for name, expected in zip(outputs, _interpreted(tmp_path, inputs), strict=True):
            np.testing.assert_allclose(np.asarray(found[name], np.float64), expected, rtol=1e-4, atol=1e-5)


MODEL = """version 1.0;

extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

fragment block(x: tensor<scalar>, w: tensor<scalar>, b: tensor<scalar>, steps: integer = 1) -> (y: tensor<scalar>)
{
    y = relu(conv(x, w, b, stride = [steps, steps], padding = [(1, 1), (1, 1)]));
}

graph net(x) -> (y)
{
    x = external(shape = [1, 3, 8, 8]);
    w1 = variable(shape = [4, 3, 3, 3], label = 'conv/w1');
    b1 = variable(shape = [1, 4], label = 'conv/b1');
    w2 = variable(shape = [5, 4, 3, 3], label = 'conv/w2');
    c1 = block(x, w1, b1, steps = 2);
    c2 = block(c1, w2, 0.0);
    p = max_pool(c2, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], border = 'ignore');
    y = softmax(p / 2.0);
}
"""


def test_a_model_with_fragments_and_files_of_the_package(tmp_path: Path):
    (tmp_path / "graph.nnef").write_text(MODEL)
    (tmp_path / "conv").mkdir()
    for name, shape in {"w1": (4, 3, 3, 3), "b1": (1, 4), "w2": (5, 4, 3, 3)}.items():
        with open(tmp_path / f"conv/{name}.dat", "wb") as file:
            nnef.write_tensor(file, _real(*shape))
    inputs = {"x": _real(1, 3, 8, 8)}
    path = str(tmp_path / "graph.nnef")
    snapshot = Workspace(DiskReader()).snapshot()
    found = run_graph(snapshot, path, inputs, stored_weights(snapshot, path, 1 << 20))
    np.testing.assert_allclose(found["y"], _interpreted(tmp_path, inputs, "block")[0], rtol=1e-4, atol=1e-5)
