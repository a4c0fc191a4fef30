"""Normalization: ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from snd_server.onnx_import.data import Data
from snd_server.onnx_import.node import Node, translation, unless


@translation("BatchNormalization")
def batch_norm(node: Node) -> list[Data | None]:
    x, scale, bias, mean, variance = (node.input(at) for at in range(5))
    epsilon = node.real("epsilon", 1e-5)
    training = (
        bool(node.number("training_mode", 0)) if node.opset >= 14 else node.opset < 7 and not node.number("is_test", 0)
    )
    if not training:
        return [node.run("nn.batch_norm", x, mean, variance, bias, scale, epsilon=epsilon)]
    momentum = node.real("momentum", 0.9)
    axes = [0, *range(2, x.rank)]
    center, spread = node.run_all("math.moments", x, axes=axes, squeeze=True)
    result = node.run("nn.batch_norm", x, center, spread, bias, scale, epsilon=epsilon)
    moved = [
        node.run("math.axpby", momentum, old, 1 - momentum, new) for old, new in ((mean, center), (variance, spread))
    ]
    return [result, *moved]


@translation("InstanceNormalization")
def instance_norm(node: Node) -> Data:
    x, scale, bias = (node.input(at) for at in range(3))
    return node.run("nn.mean_variance_norm", x, bias, scale, epsilon=node.real("epsilon", 1e-5))


@translation("LRN")
def local_response_norm(node: Node) -> Data:
    given = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0}
    attributes: dict[str, Any] = {name: node.real(name, default) for name, default in given.items()}
    return node.run("nn.local_response_norm", node.input(0), size=[node.number("size", 1)], **attributes)


@translation("LpNormalization")
def lp_norm(node: Node) -> Data:
    x, axis, p = node.input(0), node.number("axis", -1), node.number("p", 2)
    # ONNX has 0 where the norm is 0: any lower limit of the norm does that.
    return node.run(f"nn.l{p}_norm", x, axes=[axis], epsilon=1e-30)


@translation("Softmax", "LogSoftmax")
def softmax(node: Node) -> Data:
    x = node.input(0)
    default = -1 if node.opset >= 13 else 1
    axis = node.axis(x.rank, default)
    axes = [axis] if node.opset >= 13 else list(range(axis, x.rank))
    result = node.run("nn.softmax", x, **unless(axes == [1], axes=axes))
    return result if node.kind == "Softmax" else node.run("math.log", result)
