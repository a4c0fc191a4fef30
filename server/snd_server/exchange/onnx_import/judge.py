"""Results of onnxruntime for a model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

import numpy as np

from snd_server.exchange.onnx_import.data import tensor_array
from snd_server.exchange.onnx_import.source import Array


class RuntimeFailedError(Exception):
    """onnxruntime is not installed, or refuses the model or its inputs."""


def run_onnxruntime(path: str, inputs: Mapping[str, Array], tensors: Sequence[str] = ()) -> dict[str, Array]:
    """Return the outputs of an ONNX file by name, or these tensors of its graph instead.

    Elements have the types that SkriptND has. Raises RuntimeFailedError.
    """
    try:
        import onnxruntime
    except ImportError:
        raise RuntimeFailedError("this takes the package 'onnxruntime': pip install 'snd[onnx]'") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        model = _with_outputs(path, tensors) if tensors else os.fspath(path)
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        types = {each.name: each.type for each in session.get_inputs()}
        given = {name: _typed(array, types[name]) for name, array in inputs.items() if name in types}
        found = session.run(None, given)
        names = [each.name for each in session.get_outputs()]
    except Exception as error:  # onnxruntime has an exception of its own for each of its states
        newest = _NEWEST_OPSET.search(str(error))
        if newest is not None:
            known = f"onnxruntime {onnxruntime.__version__} knows opsets of '{newest[1]}' up to {newest[2]}"
            raise RuntimeFailedError(f"{known}, but {path} has a newer one") from None
        text = str(error).strip().partition("\n")[0]
        raise RuntimeFailedError(f"onnxruntime can't run {path}: {text}") from None
    results = dict(zip(names, found, strict=True))
    wanted = tensors or names
    return {
        name: tensor_array(np.asarray(results[name])) for name in wanted if isinstance(results.get(name), np.ndarray)
    }


def _with_outputs(path: str, tensors: Sequence[str]) -> bytes:
    """Return a model whose outputs are these tensors too."""
    import onnx

    model = onnx.load(path)
    there = {each.name for each in (*model.graph.output, *model.graph.input)}
    made = {name for node in model.graph.node for name in node.output}
    for name in tensors:
        if name in made and name not in there:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    return bytes(model.SerializeToString())


_NEWEST_OPSET = re.compile(r"official support for domain (\S+) is till opset (\d+)")
"""Message of onnxruntime about a model of a newer opset."""
_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16, "tensor(int8)": np.int8,
    "tensor(uint64)": np.uint64, "tensor(uint32)": np.uint32, "tensor(uint16)": np.uint16, "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}  # fmt: skip


def _typed(array: Array, kind: str) -> Array:
    return array.astype(_TYPES[kind]) if kind in _TYPES else array
