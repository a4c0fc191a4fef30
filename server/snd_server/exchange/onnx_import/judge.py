"""Results of onnxruntime for a model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

import numpy as np

from snd_server.exchange.inference import Inference, InferenceError
from snd_server.exchange.onnx_import.data import tensor_array
from snd_server.exchange.onnx_import.limits import LONGEST_RUNTIME_ERROR
from snd_server.exchange.onnx_import.source import Array


class RuntimeFailedError(Exception):
    """onnxruntime is not installed, or refuses the model or its inputs."""


def run_onnxruntime(
    inference: Inference, path: str, inputs: Mapping[str, Array], tensors: Sequence[str] = ()
) -> dict[str, Array]:
    """Return the outputs of an ONNX file by name, or these tensors of its graph instead.

    Elements have the types that SkriptND has. Raises RuntimeFailedError, and InferenceLimitError.
    """
    try:
        import onnxruntime
    except ImportError:
        raise RuntimeFailedError("this needs the package onnxruntime: pip install onnxruntime installs it") from None
    try:
        model = _with_outputs(path, tensors) if tensors else os.fspath(path)
        results = inference.run(model, inputs, tensors, optimizes=False)
    except InferenceError as error:
        newest = _NEWEST_OPSET.search(str(error))
        if newest is not None:
            known = f"onnxruntime {onnxruntime.__version__} knows opsets of '{newest[1]}' up to {newest[2]}"
            raise RuntimeFailedError(f"{known}, but {path} has a newer one") from None
        text = str(error)
        shown = text if len(text) <= LONGEST_RUNTIME_ERROR else f"{text[:LONGEST_RUNTIME_ERROR]}…"
        raise RuntimeFailedError(f"onnxruntime can't run {path}: {shown}") from None
    return {name: tensor_array(value) for name, value in results.items() if isinstance(value, np.ndarray)}


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
