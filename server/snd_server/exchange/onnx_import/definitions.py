"""Definitions of kinds of nodes in ONNX, used where no operator replaces them: functions of other nodes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data
from snd_server.exchange.onnx_import.model_file import function_of
from snd_server.exchange.onnx_import.source import EXPORTED_PROGRAM, SourceGraph, SourceNode, call_of

if TYPE_CHECKING:
    import onnx

    from snd_server.exchange.onnx_import.node import OnnxNode

_calls = count()


def definition_of(node: OnnxNode) -> list[SourceNode] | None:
    """Return the nodes that ONNX defines a node by; None if it defines it by words."""
    source = node.source
    if source.domain == EXPORTED_PROGRAM:
        return None
    import onnx

    if any(isinstance(each, SourceGraph) for each in source.attributes.values()):
        return None
    try:
        schema = onnx.defs.get_schema(source.kind, source.opset, source.domain)
    except onnx.defs.SchemaError:
        return None
    body = _body(node, schema)
    if body is None:
        return None
    return list(call_of(source, function_of(body), f"{source.shown}/{next(_calls)}/"))


def _body(node: OnnxNode, schema: Any) -> onnx.FunctionProto | None:
    import onnx

    body = onnx.FunctionProto()
    version = node.source.opset
    if schema.has_function:
        body.ParseFromString(schema.get_function_with_opset_version(_best(schema.function_opset_versions, version)))
        return body
    if not schema.has_context_dependent_function:
        return None
    content = schema.get_context_dependent_function_with_opset_version(
        _best(schema.context_dependent_function_opset_versions, version),
        node_proto(node.source).SerializeToString(),
        [type_proto(each).SerializeToString() for each in node.inputs],
    )
    if not content:
        return None
    body.ParseFromString(content)
    return body if body.node else None


def node_proto(source: SourceNode) -> onnx.NodeProto:
    """Return a node as ONNX has it; graphs inside are left out."""
    import onnx

    attributes = {
        name: onnx.numpy_helper.from_array(value, name) if isinstance(value, np.ndarray) else value
        for name, value in source.attributes.items()
        if not isinstance(value, SourceGraph)
    }
    return onnx.helper.make_node(
        source.kind, source.inputs, source.outputs, source.name, domain=source.domain, **attributes
    )


def type_proto(value: object) -> onnx.TypeProto:
    """Return the type of a tensor as ONNX has it, symbols by their names."""
    import onnx

    if not isinstance(value, Data):
        return onnx.TypeProto()
    element = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    return onnx.helper.make_tensor_type_proto(element, [_dimension(each) for each in value.shape])


def _dimension(extent: Integer) -> int | str | None:
    if extent.value is not None:
        return extent.value
    return str(extent) if extent.leaves else None


def _best(versions: Sequence[int], version: int) -> int:
    """Return the newest version that a model may use; else the oldest."""
    return max((each for each in versions if each <= version), default=min(versions))
