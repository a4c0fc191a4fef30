"""Library operators that are composed of others, and formats of data, against plain loops and NumPy."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.library_cases import adjoint, all_cases, convolution
from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules
from snd_runtime.execution import Execution, execute
from snd_runtime.intrinsics import INTRINSICS
from support.runtime.operators import FLOAT64, bind_library, library_snapshot

_RANDOM = np.random.default_rng(17)
ONNX_PAGE = Path(__file__).parents[2] / "docs" / "onnx.md"
TESTED: set[str] = set()
"""The operators that the tests of this module ask for; filled where they are listed."""


def listed(*names: str) -> Any:
    """Parameters of a test, noted as operators that have one."""
    TESTED.update(names)
    return pytest.mark.parametrize("name", names)


def run(name: str, *inputs: Any, variables: dict[str, Any] | None = None, **attributes: Any) -> Any:
    """The outputs of an operator of the library; a single one is not in a tuple."""
    outputs = _outcome(name, inputs, variables or {}, attributes).outputs.values()
    return next(iter(outputs)) if len(outputs) == 1 else tuple(outputs)


def _outcome(name: str, inputs: Any, variables: dict[str, Any], attributes: dict[str, Any]) -> Any:
    specialization = bind_library(name, inputs, attributes)
    request = Execution(real=FLOAT64, variables=variables)
    return execute(Session(library_snapshot()), specialization, inputs, request)


def reals(*shape: int) -> Any:
    return _RANDOM.normal(size=shape)


def same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_every_library_operator_is_compared_with_something():
    """With NumPy or loops here or in ``library_cases``, as an intrinsic, or with ONNX."""
    page = ONNX_PAGE.read_text(encoding="utf-8")
    onnx = {
        name
        for row in re.findall(r"^\|[^|]*\|([^|]*)\| \d+ \|", page, re.MULTILINE)
        for name in re.findall(r"`(.*?)`", row)
    }
    intrinsics = {f"{name.path.removeprefix(LIBRARY_PREFIX)}.{name.name}" for name in INTRINSICS}
    compared = onnx | intrinsics | TESTED | {case.operator for case in all_cases()}
    existing = {
        f"{module}.{definition.name.text}"
        for module in library_modules()
        for _, definition in library_snapshot().tree(f"{LIBRARY_PREFIX}{module}").definitions
    }
    assert existing - compared == {"nn._jagged_lstm_loops"}  # which only 'nn.lstm' may invoke


# ---- layout ----------------------------------------------------------------------------------------------------------
def _blocks(x: Any, block: Any, blocks_first: bool, to: str) -> Any:
    """Element by element: positions within blocks to the batch (axis 0) or the channels (axis 1)."""
    batch, channels, *extents = x.shape
    volume = int(np.prod(block))
    counts = [extent // size for extent, size in zip(extents, block, strict=True)]
    axis = 0 if to == "batch" else 1
    shape = [batch, channels, *counts]
    shape[axis] *= volume
    result = np.zeros(shape)
    for at in np.ndindex(*x.shape):
        place = [each // size for each, size in zip(at[2:], block, strict=True)]
        within = int(np.ravel_multi_index([each % size for each, size in zip(at[2:], block, strict=True)], block))
        target = [at[0], at[1], *place]
        target[axis] = within * x.shape[axis] + at[axis] if blocks_first else at[axis] * volume + within
        result[tuple(target)] = x[at]
    return result


@listed("layout.space_to_batch", "layout.space_to_depth")
@pytest.mark.parametrize("blocks_first", [True, False])
@pytest.mark.parametrize(("extents", "block"), [((6,), [3]), ((4, 6), [2, 3]), ((2, 2, 4), [1, 2, 2])])
def test_positions_within_blocks(name: str, blocks_first: bool, extents: tuple[int, ...], block: list[int]):
    x = reals(2, 3, *extents)
    to = name.rpartition("_")[2]
    back = f"layout.{to}_to_space"
    wanted = _blocks(x, block, blocks_first, to)
    attributes = {"block_size": block, "blocks_first": blocks_first}
    same(run(name, x, **attributes), wanted)
    same(run(back, wanted, **attributes), x)
    last = (0, *range(2, x.ndim), 1)
    given = {**attributes, "data_format": "NXC"}
    same(run(name, x.transpose(last), **given), wanted.transpose(last))
    same(run(back, wanted.transpose(last), **given), x.transpose(last))


TESTED.update({"layout.batch_to_space", "layout.depth_to_space"})


@listed("layout.shuffle")
@pytest.mark.parametrize(("axis", "groups"), [(1, 2), (-1, 3), (0, 1), (1, 6)])
def test_shuffle(name: str, axis: int, groups: int):
    x = reals(4, 6, 9)
    wanted = np.zeros_like(x)
    each = x.shape[axis] // groups
    for group, item in product(range(groups), range(each)):
        np.moveaxis(wanted, axis, 0)[item * groups + group] = np.moveaxis(x, axis, 0)[group * each + item]
    same(run(name, x, axis=axis, groups=groups), wanted)


# ---- math, image, pooling --------------------------------------------------------------------------------------------
@listed("math.axpy")
def test_axpy(name: str):
    a, x, b, y = reals(1, 3), reals(2, 3), reals(1, 1), reals(2, 1)
    same(run(name, a, x, b, y), a * x + b * y)


@listed("image.area_downsample")
def test_area_downsample(name: str):
    x = reals(2, 4, 9)
    same(run(name, x, axes=[1, 2], factor=[2, 3]), x.reshape(2, 2, 2, 3, 3).mean((2, 4)))
    same(run(name, x, axes=[-1], factor=[3]), x.reshape(2, 4, 3, 3).mean(-1))


@listed("image.rescale")
@pytest.mark.parametrize("mode", ["NEAREST", "LINEAR", "CUBIC"])
@pytest.mark.parametrize("factor", [2.0, 1.5, 0.4])
def test_rescale(name: str, mode: str, factor: float):
    x = reals(2, 5, 3)
    size = int(5 * factor + 0.5)
    attributes: dict[str, Any] = {"axes": [1], "mode": mode, "coordinate_transform": "ASYMMETRIC"}
    found = run(name, x, factor=[factor], **attributes)
    assert found.shape == (2, size, 3)
    same(found, run("image.resize", x, size=[size], **attributes))
    if mode == "NEAREST":
        places = [-((-2 * i * 5 + size) // (2 * size)) for i in range(size)]  # rounded, halves down
        same(found, x[:, np.clip(places, 0, 4)])


@listed("nn.rms_pool")
@pytest.mark.parametrize("ignore_border", [True, False])
def test_rms_pool(name: str, ignore_border: bool):
    x = reals(2, 3, 7)
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1)], constant_values=np.nan if ignore_border else 0.0)
    windows = np.stack([padded[:, :, at : at + 3] for at in range(0, 7, 2)], axis=2)
    found = run(name, x, size=[3], stride=[2], padding=[1, 1], ignore_border=ignore_border)
    same(found, np.sqrt(np.nanmean(windows**2, axis=-1)))


# ---- formats ---------------------------------------------------------------------------------------------------------
def _order(layout: str, d: int) -> tuple[int, ...]:
    """Return the permutation of axes from the order batch, channels, space to a format."""
    axes = {"N": (0,), "C": (1,), "X": tuple(range(2, 2 + d))}
    return tuple(axis for letter in layout.replace("B", "N") for axis in axes[letter])


@pytest.mark.parametrize("data_format", ["NCX", "NXC", "XCN"])
@pytest.mark.parametrize("filter_format", ["NCX", "NXC", "XCN", "CXN", "CXB"])
@pytest.mark.parametrize("d", [1, 2])
def test_formats_of_convolutions(data_format: str, filter_format: str, d: int):
    x, weights, bias = reals(2, 4, *(7, 6)[:d]), reals(6, 2, *(3, 2)[:d]), reals(6)
    stride, dilation, pads = [2, 1][:d], [1, 2][:d], [(1, 1), (0, 2)][:d]
    attributes = {
        "stride": stride,
        "dilation": dilation,
        "padding": [pair[side] for side in (0, 1) for pair in pads],
        "groups": 2,
        "data_format": data_format,
        "filter_format": filter_format,
    }
    wanted = convolution(x, weights, stride, dilation, pads, 2)
    data, kernel = _order(data_format, d), _order(filter_format, d)
    biased = wanted + bias.reshape(-1, *[1] * d)
    same(run("nn.conv", x.transpose(data), weights.transpose(kernel), bias, **attributes), biased.transpose(data))
    y = reals(*wanted.shape)
    found = run(
        "nn.deconv", y.transpose(data), weights.transpose(kernel), None, output_size=list(x.shape[2:]), **attributes
    )
    same(found, adjoint(y, weights, x.shape, stride, dilation, pads, 2).transpose(data))


# ---- layers with variables -------------------------------------------------------------------------------------------
@listed("layer.linear")
def test_linear_layer(name: str):
    x, weights, bias = reals(3, 4), reals(5, 4), reals(5)
    variables = {"filter": weights, "bias": bias}
    same(run(name, x, variables=variables, channels=5), x @ weights.T + bias)
    same(run(name, x, variables=variables, channels=5, use_bias=False), x @ weights.T)


@listed("layer.conv", "layer.deconv")
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("use_bias", [True, False])
def test_convolutional_layers(name: str, groups: int, use_bias: bool):
    x, pads = reals(2, 4, 6, 5), [(1, 0), (0, 1)]
    attributes = {"size": [3, 2], "stride": [2, 1], "padding": [1, 0, 0, 1], "groups": groups, "use_bias": use_bias}
    bias = reals(6).reshape(-1, 1, 1)
    if name == "layer.conv":
        weights, channels = reals(6, 4 // groups, 3, 2), 6
        wanted = convolution(x, weights, [2, 1], [1, 1], pads, groups)
    else:
        weights, channels = reals(4, 6 // groups, 3, 2), 6 // groups
        wanted = adjoint(x, weights, (2, 6, 12, 5), [2, 1], [1, 1], pads, groups)
    variables = {"filter": weights, "bias": bias.reshape(-1)}
    found = run(name, x, variables=variables, channels=channels, **attributes)
    same(found, wanted + bias if use_bias else wanted)


@listed("layer.batch_norm")
@pytest.mark.parametrize("momentum", [0.0, 0.25])
def test_batch_norm_layer(name: str, momentum: float):
    x, axes = reals(4, 3, 5), (0, 2)
    old = {"running_mean": reals(3), "running_variance": reals(3) ** 2, "bias": reals(3), "scale": reals(3)}
    outcome = _outcome(name, [x], old, {"momentum": momentum, "epsilon": 1e-2})
    mean, variance = x.mean(axes), x.var(axes)
    normal = (x - mean[:, None]) / np.sqrt(variance[:, None] + 1e-2)
    same(outcome.outputs["output"], normal * old["scale"][:, None] + old["bias"][:, None])
    for variable, statistic in (("running_mean", mean), ("running_variance", variance)):
        same(outcome.variables[variable], (1 - momentum) * old[variable] + momentum * statistic)
    for variable in ("bias", "scale"):
        same(outcome.variables[variable], old[variable])


# ---- recurrent layers ------------------------------------------------------------------------------------------------
def _step(h: Any, c: Any, x: Any, weights: Any) -> tuple[Any, Any]:
    w, r, b = weights
    i, f, g, o = np.split(x @ w.T + h @ r.T + b, 4, axis=1)
    i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
    c = f * c + i * np.tanh(g)
    return o * np.tanh(c), c


@listed("nn.lstm_step", "nn.lstm_loop", "nn.lstm")
@pytest.mark.parametrize("steps", [None, 1, 3, 5])
def test_lstm(name: str, steps: int | None):
    s, b, c, n = 5, 2, 3, 4
    xs, weights, h, state = reals(s, b, c), (reals(4 * n, c), reals(4 * n, n), reals(4 * n)), reals(b, n), reals(b, n)
    if name == "nn.lstm_step":
        for found, wanted in zip(run(name, h, state, xs[0], *weights), _step(h, state, xs[0], weights), strict=True):
            same(found, wanted)
        return
    if name == "nn.lstm_loop":
        lengths = [s if steps is None else steps] * b
        given = None if steps is None else np.array(steps)
    else:
        lengths = [s, s] if steps is None else [steps, min(2, s)]
        given = None if steps is None else np.array(lengths)
    outputs, states = np.zeros((max(lengths), b, n)), [h.copy(), state.copy()]
    for at in range(max(lengths)):
        after = _step(*states, xs[at], weights)
        for item in range(b):
            if at < lengths[item]:
                states[0][item], states[1][item] = after[0][item], after[1][item]
                outputs[at, item] = after[0][item]
    for found, wanted in zip(run(name, xs, *weights, h, state, given), (outputs, *states), strict=True):
        same(found, wanted)
