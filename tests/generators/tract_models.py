"""Models of one operation each, as tract writes them: built with the ``onnx`` package, converted by tract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from msgspec import Struct
from onnx import helper


class OnnxModel(Struct, frozen=True):
    """An invocation in ONNX, its given inputs, and its other parts."""

    name: str
    operation: str
    inputs: Mapping[str, Any]
    constants: Mapping[str, Any] = {}
    attributes: Mapping[str, Any] = {}
    outputs: Sequence[str] = ("y",)
    opset: int = 17
    domain: str = ""


def _random(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _bytes(*shape: int) -> Any:
    return np.random.default_rng(7).integers(0, 255, shape).astype(np.uint8)


def _ints(*items: int) -> Any:
    return np.array(items, np.int64)


X = _random(2, 3, 4)
IMAGE = _random(1, 3, 8, 7)
_MATRIX = _random(4, 5, seed=1)

UNARY = (
    "Abs", "Neg", "Exp", "Sin", "Cos", "Tanh", "Atan", "Sinh", "Cosh", "Asinh", "Floor", "Ceil", "Round", "Sign",
    "Sigmoid", "Relu", "Softplus", "Erf", "HardSwish", "Reciprocal",
)  # fmt: skip
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")
COMPARISONS = ("Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal")

MODELS: tuple[OnnxModel, ...] = (
    *(OnnxModel(each, each, {"x": X}) for each in UNARY),
    *(OnnxModel(each, each, {"x": np.abs(X) + 0.1}) for each in ("Log", "Sqrt")),
    *(OnnxModel(each, each, {"x": X, "z": _random(3, 1, seed=2)}) for each in BINARY),
    *(OnnxModel(f"{each}_constant", each, {"x": X}, {"z": np.array([0.5], np.float32)}) for each in BINARY),
    *(OnnxModel(each, each, {"x": X, "z": _random(2, 3, 4, seed=3)}) for each in COMPARISONS),
    OnnxModel("Pow", "Pow", {"x": np.abs(X)}, {"z": np.array(1.5, np.float32)}),
    OnnxModel("LeakyRelu", "LeakyRelu", {"x": X}, attributes={"alpha": 0.2}),
    OnnxModel("Elu", "Elu", {"x": X}, attributes={"alpha": 1.0}),
    OnnxModel("Clip", "Clip", {"x": X}, {"low": np.array(-0.5, np.float32), "high": np.array(0.5, np.float32)}),
    OnnxModel("MatMul", "MatMul", {"x": X}, {"w": _MATRIX}),
    OnnxModel("Gemm", "Gemm", {"x": X[0]}, {"w": _random(5, 4, seed=4), "b": _random(5)}, {"transB": 1}),
    OnnxModel("Conv", "Conv", {"x": IMAGE}, {"w": _random(4, 3, 3, 2), "b": _random(4)}, {"pads": [1, 0, 1, 1]}),
    OnnxModel("Conv_groups", "Conv", {"x": IMAGE}, {"w": _random(6, 1, 3, 3)}, {"group": 3, "strides": [2, 1]}),
    OnnxModel("Conv_1d", "Conv", {"x": X}, {"w": _random(5, 3, 2)}, {"dilations": [2]}),
    OnnxModel("ConvTranspose", "ConvTranspose", {"x": IMAGE}, {"w": _random(3, 4, 3, 3)}, {"strides": [2, 2]}),
    OnnxModel("MaxPool", "MaxPool", {"x": IMAGE}, attributes={"kernel_shape": [3, 2], "strides": [2, 2]}),
    OnnxModel("MaxPool_pads", "MaxPool", {"x": IMAGE}, attributes={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    OnnxModel("AveragePool", "AveragePool", {"x": IMAGE}, attributes={"kernel_shape": [2, 2], "strides": [2, 1]}),
    OnnxModel(
        "AveragePool_pads", "AveragePool", {"x": IMAGE},
        attributes={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
    ),
    OnnxModel("GlobalAveragePool", "GlobalAveragePool", {"x": IMAGE}),
    OnnxModel("Softmax", "Softmax", {"x": X}, attributes={"axis": -1}),
    OnnxModel("LogSoftmax", "LogSoftmax", {"x": X}, attributes={"axis": 1}),
    OnnxModel("ReduceMean", "ReduceMean", {"x": X}, attributes={"axes": [1], "keepdims": 0}),
    OnnxModel("ReduceMax", "ReduceMax", {"x": X}, attributes={"axes": [0, 2], "keepdims": 1}),
    OnnxModel("ReduceSum", "ReduceSum", {"x": X}, {"axes": _ints(1, 2)}, {"keepdims": 0}),
    OnnxModel("ReduceProd", "ReduceProd", {"x": X}, attributes={"axes": [2]}),
    OnnxModel("ReduceL2", "ReduceL2", {"x": X}, attributes={"axes": [2]}),
    OnnxModel("ArgMax", "ArgMax", {"x": X}, attributes={"axis": 1}),
    OnnxModel("Transpose", "Transpose", {"x": X}, attributes={"perm": [2, 0, 1]}),
    OnnxModel("Reshape", "Reshape", {"x": X}, {"shape": _ints(0, -1)}),
    OnnxModel("Flatten", "Flatten", {"x": X}, attributes={"axis": 2}),
    OnnxModel("Squeeze", "Squeeze", {"x": X[:1]}, {"axes": _ints(0)}),
    OnnxModel("Unsqueeze", "Unsqueeze", {"x": X}, {"axes": _ints(0, 2)}),
    OnnxModel("Slice", "Slice", {"x": X}, {"b": _ints(1, 0), "e": _ints(3, 3), "a": _ints(1, 2)}),
    OnnxModel("Slice_steps", "Slice", {"x": X}, {"b": _ints(3), "e": _ints(-9), "a": _ints(2), "s": _ints(-1)}),
    OnnxModel("Concat", "Concat", {"x": X, "z": _random(2, 1, 4, seed=5)}, attributes={"axis": 1}),
    OnnxModel("Split", "Split", {"x": X}, {"s": _ints(1, 2)}, {"axis": 1}, ("y", "z")),
    OnnxModel("Pad", "Pad", {"x": X}, {"p": _ints(0, 1, 0, 0, 0, 2)}),
    OnnxModel("Pad_reflect", "Pad", {"x": X}, {"p": _ints(0, 0, 1, 0, 0, 2)}, {"mode": "reflect"}),
    OnnxModel("Pad_edge", "Pad", {"x": X}, {"p": _ints(0, 0, 1, 0, 0, 2)}, {"mode": "edge"}),
    OnnxModel("Tile", "Tile", {"x": X}, {"r": _ints(1, 2, 3)}),
    OnnxModel("Expand", "Expand", {"x": X[:, :1]}, {"s": _ints(2, 3, 4)}),
    OnnxModel("Gather", "Gather", {"x": X}, {"i": _ints(2, 0)}, {"axis": 1}),
    OnnxModel("GatherElements", "GatherElements", {"x": X}, {"i": np.ones((2, 1, 4), np.int64)}, {"axis": 1}),
    OnnxModel("ScatterElements", "ScatterElements", {"x": X, "u": X[:, :1]}, {}, {"axis": 1}),
    OnnxModel("Where", "Where", {"c": X > 0, "x": X, "z": X * 2}),
    OnnxModel("Not", "Not", {"x": X > 0}),
    OnnxModel("And", "And", {"x": X > 0, "z": X < 1}),
    OnnxModel("CumSum", "CumSum", {"x": X}, {"a": np.array(1, np.int64)}),
    OnnxModel("TopK", "TopK", {"x": X}, {"k": _ints(2)}, {"axis": 2}, ("y", "i")),
    OnnxModel("Trilu", "Trilu", {"x": X}, attributes={"upper": 0}),
    OnnxModel(
        "OneHot", "OneHot", {"x": _ints(1, 0, 2)},
        {"d": np.array(3, np.int64), "v": np.array([0.0, 1.0], np.float32)},
    ),
    OnnxModel("Einsum", "Einsum", {"x": X}, {"w": _MATRIX}, {"equation": "bij,jk->bik"}),
    OnnxModel(
        "BatchNormalization", "BatchNormalization", {"x": IMAGE},
        {"s": _random(3), "b": _random(3, seed=1), "m": _random(3, seed=2), "v": np.abs(_random(3, seed=3))},
    ),
    OnnxModel("LayerNormalization", "LayerNormalization", {"x": X}, {"s": _random(4), "b": _random(4, seed=1)}),
    OnnxModel("InstanceNormalization", "InstanceNormalization", {"x": IMAGE}, {"s": _random(3), "b": _random(3)}),
    OnnxModel("LRN", "LRN", {"x": IMAGE}, attributes={"size": 3}),
    OnnxModel(
        "Resize", "Resize", {"x": IMAGE}, {"": None, "s": np.array([1, 1, 2, 2], np.float32)}, {"mode": "nearest"}
    ),
    OnnxModel("DepthToSpace", "DepthToSpace", {"x": _random(1, 4, 2, 3)}, attributes={"blocksize": 2}),
    OnnxModel("Mod", "Mod", {"x": _ints(7, -7, 5), "z": _ints(3, 3, -3)}),
    OnnxModel("Integer_div", "Div", {"x": _ints(7, -7, 5), "z": _ints(2, 2, -2)}),
    OnnxModel("Cast", "Cast", {"x": X * 3}, attributes={"to": onnx.TensorProto.INT64}),
    OnnxModel("Shape", "Shape", {"x": X}),
    OnnxModel(
        "LSTM", "LSTM", {"x": _random(4, 2, 3)}, {"w": _random(1, 20, 3), "r": _random(1, 20, 5, seed=1)},
        {"hidden_size": 5}, ("y", "h", "c"),
    ),
    OnnxModel(
        "GRU", "GRU", {"x": _random(4, 2, 3)}, {"w": _random(1, 15, 3), "r": _random(1, 15, 5, seed=1)},
        {"hidden_size": 5, "linear_before_reset": 1}, ("y", "h"),
    ),
    OnnxModel(
        "GRU_both_ways", "GRU", {"x": _random(4, 2, 3)},
        {"w": _random(2, 15, 3), "r": _random(2, 15, 5, seed=1), "b": _random(2, 30)},
        {"hidden_size": 5, "linear_before_reset": 1, "direction": "bidirectional"}, ("y", "h"),
    ),
    OnnxModel(
        "GRU_reset_before", "GRU", {"x": _random(4, 2, 3)}, {"w": _random(1, 15, 3), "r": _random(1, 15, 5, seed=1)},
        {"hidden_size": 5}, ("y", "h"),
    ),
    OnnxModel(
        "RNN", "RNN", {"x": _random(4, 1, 3)}, {"w": _random(1, 5, 3), "r": _random(1, 5, 5, seed=1)},
        {"hidden_size": 5}, ("y", "h"),
    ),
    OnnxModel(
        "ConvTranspose_shape", "ConvTranspose", {"x": IMAGE}, {"w": _random(3, 4, 3, 3)},
        {"strides": [2, 2], "output_shape": [16, 14]},
    ),
    OnnxModel(
        "QLinearConv", "QLinearConv", {"x": _bytes(1, 4, 5, 5)},
        {
            "xs": np.float32(0.1), "xz": np.uint8(120), "w": _bytes(6, 2, 3, 3), "ws": np.float32(0.02),
            "wz": np.uint8(99), "ys": np.float32(0.9), "yz": np.uint8(110), "b": np.arange(6, dtype=np.int32) * 100,
        },
        {"pads": [1, 0, 1, 1], "strides": [2, 1], "group": 2},
    ),
    OnnxModel(
        "ConvInteger", "ConvInteger", {"x": _bytes(1, 2, 5, 5)},
        {"w": _bytes(3, 2, 3, 3), "xz": np.uint8(120), "wz": np.uint8(99)},
    ),
    OnnxModel(
        "NonMaxSuppression", "NonMaxSuppression",
        {"x": np.abs(_random(2, 8, 4)), "s": np.abs(_random(2, 3, 8, seed=1))},
        {"m": _ints(3), "i": np.array([0.3], np.float32), "t": np.array([0.2], np.float32)},
    ),
    OnnxModel(
        "TreeEnsembleClassifier", "TreeEnsembleClassifier", {"x": _random(4, 2)},
        attributes={
            "nodes_treeids": [0, 0, 0, 1, 1, 1], "nodes_nodeids": [0, 1, 2, 0, 1, 2],
            "nodes_featureids": [0, 0, 0, 1, 0, 0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
            "nodes_values": [0.1, 0.0, 0.0, -0.2, 0.0, 0.0], "nodes_truenodeids": [1, 0, 0, 1, 0, 0],
            "nodes_falsenodeids": [2, 0, 0, 2, 0, 0], "nodes_missing_value_tracks_true": [0] * 6,
            "class_treeids": [0, 0, 0, 1, 1], "class_nodeids": [1, 1, 2, 1, 2], "class_ids": [0, 1, 1, 0, 2],
            "class_weights": [0.3, 0.5, 0.7, 0.2, -0.9], "classlabels_int64s": [0, 1, 2], "post_transform": "SOFTMAX",
        },
        outputs=("l", "y"), domain="ai.onnx.ml",
    ),
)  # fmt: skip


def write(model: OnnxModel, folder: Path) -> None:
    """Save a model as ONNX."""
    constants = {name: value for name, value in model.constants.items() if value is not None}
    names = [*model.inputs, *model.constants]
    if model.operation == "ScatterElements":
        names, constants = ["x", "i", "u"], {"i": np.zeros((2, 1, 4), np.int64)}
    node = helper.make_node(model.operation, names, list(model.outputs), domain=model.domain, **model.attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in model.inputs.items()
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in model.outputs]
    stored = [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph([node], "network", inputs, outputs, stored)
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", model.opset), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=8
    )
    onnx.save(onnx.shape_inference.infer_shapes(made), str(folder / "model.onnx"))
