"""Normalization: ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless


@translation("BatchNormalization")
def batch_norm(node: OnnxNode) -> list[Data | None]:
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
def instance_norm(node: OnnxNode) -> Data:
    x, scale, bias = (node.input(at) for at in range(3))
    return node.run("nn.mean_variance_norm", x, bias, scale, epsilon=node.real("epsilon", 1e-5))


@translation("LRN")
def local_response_norm(node: OnnxNode) -> Data:
    given = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0}
    attributes: dict[str, Any] = {name: node.real(name, default) for name, default in given.items()}
    return node.run("nn.local_response_norm", node.input(0), size=[node.number("size", 1)], **attributes)


@translation("LpNormalization")
def lp_norm(node: OnnxNode) -> Data:
    x, axis, p = node.input(0), node.number("axis", -1), node.number("p", 2)
    # ONNX has 0 where the norm is 0: any lower limit of the norm does that.
    return node.run(f"nn.l{p}_norm", x, axes=[axis], epsilon=1e-30)


@translation("Softmax", "LogSoftmax")
def softmax(node: OnnxNode) -> Data:
    x = node.input(0)
    default = -1 if node.opset >= 13 else 1
    axis = node.axis(x.rank, default)
    axes = [axis] if node.opset >= 13 else list(range(axis, x.rank))
    result = node.run("nn.softmax", x, **unless(axes == [1], axes=axes))
    return result if node.kind == "Softmax" else node.run("math.log", result)


@translation("LayerNormalization")
def layer_norm(node: OnnxNode) -> list[Data | None]:
    x, scale, bias = node.input(0), node.input(1), node.maybe(2)
    axis, epsilon = node.axis(x.rank, -1), node.real("epsilon", 1e-5)
    if not node.wants(1) and not node.wants(2) and _fits(x, axis, scale, bias):
        return [node.run("onnx.layer_norm", x, scale, bias, **_last(x, axis), epsilon=epsilon)]
    axes = list(range(axis, x.rank))
    mean, variance = node.run_all("math.moments", x, axes=axes)
    deviation = node.run("math.rsqrt", node.run("math.add", variance, epsilon))
    normal = node.run("math.mul", node.run("math.sub", x, mean), deviation)
    scaled = node.run("math.mul", normal, scale)
    return [scaled if bias is None else node.run("math.add", scaled, bias), mean, deviation]


@translation("RMSNormalization", "SimplifiedLayerNormalization")
def rms_norm(node: OnnxNode) -> Data:
    x, scale = node.input(0), node.input(1)
    axis, epsilon = node.axis(x.rank, -1), node.real("epsilon", 1e-5)
    if _fits(x, axis, scale):
        return node.run("onnx.rms_norm", x, scale, **_last(x, axis), epsilon=epsilon)
    mean = node.run("math.mean_reduce", node.run("math.sqr", x), axes=list(range(axis, x.rank)))
    factor = node.run("math.rsqrt", node.run("math.add", mean, epsilon))
    return node.run("math.mul", node.run("math.mul", x, factor), scale)


def _fits(x: Data, axis: int, *weights: Data | None) -> bool:
    """Return whether weights have an element for each that is normalized together: others are broadcast."""
    return x.is_real and all(each is None or (each.is_real and each.shape == x.shape[axis:]) for each in weights)


def _last(x: Data, axis: int) -> dict[str, Any]:
    return unless(axis == x.rank - 1, axis=axis)


@translation("GroupNormalization")
def group_norm(node: OnnxNode) -> Data:
    x, scale, bias = (node.input(at) for at in range(3))
    groups, channels = node.number("num_groups", 1), x.shape[1]
    grouped = node.run("layout.reshape", x, shape=[x.shape[0], groups, -1])
    normal = node.run("nn.mean_variance_norm", grouped, None, None, axes=[2], epsilon=node.real("epsilon", 1e-5))
    if scale.shape != (channels,):  # until version 20, a value for each group
        normal = node.run("math.add", node.run("math.mul", normal, scale, rhs_align=1), bias, rhs_align=1)
        return node.run("layout.reshape", normal, shape=list(x.shape))
    whole = node.run("layout.reshape", normal, shape=list(x.shape))
    return node.run("math.add", node.run("math.mul", whole, scale, rhs_align=1), bias, rhs_align=1)


@translation("MeanVarianceNormalization")
def mean_variance_norm(node: OnnxNode) -> Data:
    axes = [int(each) for each in node.attribute("axes", [0, 2, 3])]
    return node.run("nn.mean_variance_norm", node.input(0), None, None, axes=axes, epsilon=1e-9)


@translation("Hardmax")
def hardmax(node: OnnxNode) -> Data:
    x = node.input(0)
    axis = node.axis(x.rank, -1 if node.opset >= 13 else 1)
    require(node.opset >= 13 or axis == x.rank - 1, "the greatest of several dimensions")
    greatest = node.run("math.argmax", x, axis=axis)
    places = node.run("layout.range", first=0, last=x.shape[axis])
    align = unless(axis == x.rank - 1, lhs_align=axis)
    return node.run("layout.cast", node.run("math.eq", places, greatest, **align), dtypes=["real"], like=x.dtype)


@translation("Shrink")
def shrink(node: OnnxNode) -> Data:
    x, bias, limit = node.input(0), node.real("bias", 0.0), node.real("lambd", 0.5)
    whole = node.as_real(x)
    above, below = node.run("math.gt", whole, limit), node.run("math.lt", whole, -limit)
    lowered, raised = (node.run("math.sub", whole, bias), node.run("math.add", whole, bias)) if bias else (whole, whole)
    rest = node.run("math.select", below, raised, 0.0)
    return node.back(node.run("math.select", above, lowered, rest), x)
