"""Nodes whose inputs are all constant, computed once: by NumPy without a copy if possible, else as ONNX has it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from snd_server.exchange.onnx_import.data import Data, constant_of
from snd_server.exchange.onnx_import.limits import MOST_FOLDED_ELEMENTS
from snd_server.exchange.onnx_import.source import Array, SourceGraph

if TYPE_CHECKING:
    from snd_server.exchange.onnx_import.node import OnnxNode

_NOT_FOLDED = frozenset(
    ["If", "Loop", "Scan", "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli",
     "Multinomial", "Dropout"]
)  # fmt: skip
_GROWING = frozenset(
    ["Tile", "OneHot", "EyeLike", "Pad", "Resize", "Upsample", "HannWindow", "HammingWindow", "BlackmanWindow",
     "MelWeightMatrix", "Conv", "ConvTranspose", "Col2Im", "CenterCropPad", "DFT", "STFT", "Einsum", "ImageDecoder",
     "TfIdfVectorizer", "StringSplit"]
)  # fmt: skip


def folded(node: OnnxNode) -> list[Data | None] | None:
    """Return the outputs of a node whose inputs are constants; None if it is left to be run."""
    if node.source.domain or node.kind in _NOT_FOLDED:
        return None
    arrays: list[Array | None] = []
    for each in node.inputs:
        if each is not None and (not isinstance(each, Data) or each.array is None):
            return None
        arrays.append(None if each is None else each.array)
    simple = _without_a_copy(node, arrays)
    if simple is not None:
        return [constant_of(simple, node.source.outputs[0])]
    if node.kind in _GROWING or any(isinstance(each, SourceGraph) for each in node.source.attributes.values()):
        return None
    if not _is_small(node, arrays):
        return None
    found = _evaluated(node, arrays)
    if found is None:
        return None
    return [
        constant_of(np.asarray(each), name) if name else None
        for each, name in zip(found, node.source.outputs, strict=False)
    ]


def _without_a_copy(node: OnnxNode, arrays: Sequence[Array | None]) -> Array | None:
    match node.kind, arrays:
        case "Constant", []:
            return _constant(node)
        case "Identity", [np.ndarray() as x]:
            return x
        case "ConstantOfShape", [np.ndarray() as shape]:
            value = node.attribute("value")
            element = np.zeros((), np.float32) if value is None else value.reshape(())
            extents = tuple(int(each) for each in shape)
            # Their number of elements is limited where something is done with them.
            return (
                np.broadcast_to(element, extents) if min(extents, default=0) >= 0 and prod(extents) < 1 << 40 else None
            )
        case "Expand", [np.ndarray() as x, np.ndarray() as shape]:
            extents = np.broadcast_shapes(x.shape, tuple(int(each) for each in shape))
            return np.broadcast_to(x, extents) if prod(extents) < 1 << 40 else None
        case "Range", [np.ndarray() as first, np.ndarray() as last, np.ndarray() as step]:
            begin, end, stride = (each.item() for each in (first, last, step))
            few = stride and (end - begin) / stride <= MOST_FOLDED_ELEMENTS
            return begin + np.arange(int(np.ceil((end - begin) / stride))).astype(first.dtype) * stride if few else None
    return None


def _constant(node: OnnxNode) -> Array | None:
    for name, value in node.source.attributes.items():
        match name:
            case "value" | "sparse_value":
                return np.asarray(value)
            case "value_float" | "value_floats":
                return np.array(value, np.float32)
            case "value_int" | "value_ints":
                return np.array(value, np.int64)
            case "value_string" | "value_strings":
                return np.array(value, object)
    return None


def _is_small(node: OnnxNode, arrays: Sequence[Array | None]) -> bool:
    shapes = [each.shape for each in arrays if each is not None]
    if sum(prod(each) for each in shapes) > MOST_FOLDED_ELEMENTS:
        return False
    try:
        broadcast = prod(np.broadcast_shapes(*shapes))
    except ValueError:
        broadcast = 0
    if node.kind in ("MatMul", "Gemm", "Gather", "GatherND", "GatherElements", "CumSum"):
        broadcast = max(broadcast, prod(prod(each) for each in shapes[:2]))
    return broadcast <= MOST_FOLDED_ELEMENTS


def _evaluated(node: OnnxNode, arrays: Sequence[Array | None]) -> Sequence[Any] | None:
    import onnx
    from onnx.reference import ReferenceEvaluator

    source = node.source
    attributes = {
        name: onnx.numpy_helper.from_array(value, name) if isinstance(value, np.ndarray) else value
        for name, value in source.attributes.items()
    }
    names = [f"x{at}" if each is not None else "" for at, each in enumerate(arrays)]
    outputs = [f"y{at}" if name else "" for at, name in enumerate(source.outputs)]
    proto = onnx.helper.make_node(source.kind, names, outputs, **attributes)
    inputs = [onnx.ValueInfoProto(name=name) for name in names if name]
    results = [onnx.ValueInfoProto(name=name) for name in outputs if name]
    graph = onnx.helper.make_graph([proto], "node", inputs, results)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", source.opset)])
    given = {name: each for name, each in zip(names, arrays, strict=True) if name}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = list(ReferenceEvaluator(model).run(None, given))
    except Exception:  # the evaluator does not know all nodes, and says so in many ways
        return None
    if not all(isinstance(each, np.ndarray | np.generic) for each in found):
        return None
    rest = iter(found)
    return [next(rest) if name else None for name in outputs]
