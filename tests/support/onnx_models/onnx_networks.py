"""Normalization and recurrent layers: ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.onnx_models.onnx_nodes import Node, require, translation


@translation("BatchNormalization")
def batch_norm(node: Node) -> Any:
    x, scale, bias, mean, variance = node.inputs
    epsilon = node.attributes.get("epsilon", 1e-5)
    if not node.attributes.get("training_mode", 0):
        return node.run("nn.batch_norm", x, mean, variance, bias, scale, epsilon=epsilon)
    momentum = node.attributes.get("momentum", 0.9)
    axes = [0, *range(2, x.ndim)]
    center, spread = node.run("math.moments", x, axes=axes, squeeze=True)
    result = node.run("nn.batch_norm", x, center, spread, bias, scale, epsilon=epsilon)
    moved = [
        node.run("math.axpby", momentum, old, 1 - momentum, new) for old, new in ((mean, center), (variance, spread))
    ]
    return (result, *moved)


@translation("InstanceNormalization")
def instance_norm(node: Node) -> Any:
    x, scale, bias = node.inputs
    return node.run("nn.mean_variance_norm", x, bias, scale, epsilon=node.attributes.get("epsilon", 1e-5))


@translation("LayerNormalization")
def layer_norm(node: Node) -> Any:
    x, scale, bias = (node.input(number) for number in range(3))
    axis = node.attributes.get("axis", -1)
    axes = list(range(axis % x.ndim, x.ndim))
    epsilon = node.attributes.get("epsilon", 1e-5)
    scaled = node.run("math.mul", node.run("nn.mean_variance_norm", x, None, None, axes=axes, epsilon=epsilon), scale)
    result = scaled if bias is None else node.run("math.add", scaled, bias)
    mean, variance = node.run("math.moments", x, axes=axes)
    return result, mean, node.run("math.rsqrt", node.run("math.add", variance, epsilon))


@translation("MeanVarianceNormalization")
def mean_variance_norm(node: Node) -> Any:
    axes = list(node.attributes.get("axes", [0, 2, 3]))
    return node.run("nn.mean_variance_norm", node.input(0), None, None, axes=axes, epsilon=1e-9)


@translation("GroupNormalization")
def group_norm(node: Node) -> Any:
    x, scale, bias = node.inputs
    require(scale.shape == (x.shape[1],), "GroupNormalization: a scale for each group")
    grouped = node.run("layout.reshape", x, shape=[x.shape[0], node.attributes["num_groups"], -1])
    normal = node.run("nn.mean_variance_norm", grouped, None, None, epsilon=node.attributes.get("epsilon", 1e-5))
    result = node.run("math.mul", node.run("layout.reshape", normal, shape=list(x.shape)), scale, rhs_align=1)
    return node.run("math.add", result, bias, rhs_align=1)


@translation("RMSNormalization")
def rms_norm(node: Node) -> Any:
    x, scale = node.inputs
    axes = list(range(node.attributes.get("axis", -1) % x.ndim, x.ndim))
    mean = node.run("math.mean_reduce", node.run("math.sqr", x), axes=axes)
    factor = node.run("math.rsqrt", node.run("math.add", mean, node.attributes.get("epsilon", 1e-5)))
    return node.run("math.mul", node.run("math.mul", x, factor), scale)


@translation("LRN")
def local_response_norm(node: Node) -> Any:
    given = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0}
    attributes = {name: node.attributes.get(name, default) for name, default in given.items()}
    return node.run("nn.local_response_norm", node.input(0), size=[node.attributes["size"]], **attributes)


@translation("LpNormalization")
def lp_norm(node: Node) -> Any:
    x, axis, p = node.input(0), node.attributes.get("axis", -1), node.attributes.get("p", 2)
    # ONNX has 0 where the norm is 0: any lower limit of the norm does that.
    return node.run(f"nn.l{p}_norm", x, axes=[axis], epsilon=1e-30)


@translation("Softmax", "LogSoftmax")
def softmax(node: Node) -> Any:
    x = node.input(0)
    axis = node.attributes.get("axis", -1 if node.opset >= 13 else 1)
    axes = [axis] if node.opset >= 13 else list(range(axis % x.ndim, x.ndim))
    result = node.run("nn.softmax", x, axes=axes)
    return result if node.kind == "Softmax" else node.run("math.log", result)


# ---- recurrent layers ------------------------------------------------------------------------------------------------
@translation("LSTM")
def lstm(node: Node) -> Any:
    x, weights, recurrent, bias, lengths, h, c, peepholes = (node.input(number) for number in range(8))
    require(peepholes is None, "LSTM: peepholes")
    require(not {"activations", "clip"} & set(node.attributes), "LSTM: other activations")
    batch_first = bool(node.attributes.get("layout", 0))
    if batch_first:
        x = node.run("layout.transpose", x, perm=[1, 0, 2])
        h, c = (None if each is None else node.run("layout.transpose", each, perm=[1, 0, 2]) for each in (h, c))
    direction = node.attributes.get("direction", "forward")
    require(lengths is None or direction == "forward", "LSTM: backward with lengths")
    backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    results = [
        _direction(node, _reversed(node, x) if backward else x, weights[at], recurrent[at], bias, h, c, lengths, at)
        for at, backward in enumerate(backwards)
    ]
    ys = [_reversed(node, each[0]) if back else each[0] for each, back in zip(results, backwards, strict=True)]
    y = node.run("layout.stack", ys, axis=1)
    states = [node.run("layout.stack", [each[at] for each in results], axis=0) for at in (1, 2)]
    if batch_first:
        y = node.run("layout.transpose", y, perm=[2, 0, 1, 3])
        states = [node.run("layout.transpose", each, perm=[1, 0, 2]) for each in states]
    return (y, *states)


def _direction(
    node: Node, x: Any, weights: Any, recurrent: Any, bias: Any, h: Any, c: Any, lengths: Any, at: int
) -> Any:
    hidden = recurrent.shape[1]
    both = np.zeros(8 * hidden, node.real) if bias is None else bias[at]
    states = [np.zeros((x.shape[1], hidden), node.real) if each is None else each[at] for each in (h, c)]
    summed = node.run("math.add", both[: 4 * hidden], both[4 * hidden :])
    return node.run("nn.lstm", x, *(_gates(each) for each in (weights, recurrent, summed)), *states, lengths)


def _gates(rows: Any) -> Any:
    """ONNX has the rows of the gates in the order input, output, forget, cell."""
    i, o, f, c = np.split(rows, 4)
    return np.concatenate([i, f, c, o])


def _reversed(node: Node, x: Any) -> Any:
    return node.run("layout.slice", x, axes=[0], begin=[len(x) - 1], end=[-1], stride=[-1])
