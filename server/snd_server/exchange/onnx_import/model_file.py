"""ONNX files: read within limits, and converted into plain data. Only this module knows protobuf."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from snd_analysis.convert import shortest
from snd_server.exchange.onnx_import.limits import MOST_NODES
from snd_server.exchange.onnx_import.modules import modules_of
from snd_server.exchange.onnx_import.source import (
    Array,
    Declared,
    Function,
    InvalidModelError,
    Reference,
    SourceGraph,
    SourceNode,
    inlined,
)
from snd_server.workspace_files.reading import open_file, read_file, reason

if TYPE_CHECKING:
    import onnx

_ITEMS_OF_A_BYTE = {"int4": 2, "uint4": 2, "float4_e2m1fn": 2, "int2": 4, "uint2": 4}
"""Number of items in a byte, for types whose items take less than a byte in a file."""


class OnnxMissingError(Exception):
    """The package ``onnx`` is not installed."""


def demand_onnx() -> None:
    """Raise OnnxMissingError if ONNX files can't be read here."""
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise OnnxMissingError("ONNX files need the package onnx: pip install onnx installs it") from None


def read_model(path: str, most_bytes: int) -> SourceGraph:
    """Return the graph of an ONNX file.

    Raise OnnxMissingError, OSError for an unreadable file, and InvalidModelError.
    """
    demand_onnx()
    import onnx
    from google.protobuf.message import DecodeError

    content = read_file(path, most_bytes)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError:
        raise InvalidModelError("this is no ONNX model, or it is cut off") from None
    return source_of(model, os.path.dirname(os.path.abspath(path)), most_bytes)


def source_of(model: onnx.ModelProto, folder: str | None = None, most_bytes: int = 1 << 30) -> SourceGraph:
    """Return the graph of a model; external data are files of the folder. Raise InvalidModelError.

    Sparse tensors and tensors with items of less than a byte may take up to ``most_bytes``.
    """
    if not model.HasField("graph"):
        raise InvalidModelError("this is no ONNX model: it has no graph")
    if not model.graph.output:
        raise InvalidModelError("its graph has no output")
    if not model.opset_import:
        raise InvalidModelError("it does not say which version of the operators it is made for")
    reader = _Reader(folder, {each.domain: each.version for each in model.opset_import}, most_bytes)
    functions = {(each.domain, each.name): reader.function(each) for each in model.functions}
    return inlined(reader.graph(model.graph), functions)


def function_of(proto: onnx.FunctionProto) -> Function:
    """Return a function. Raise InvalidModelError."""
    return _Reader(None, {}, 1 << 30).function(proto)


class _Reader:
    def __init__(self, folder: str | None, versions: Mapping[str, int], bytes_left: int) -> None:
        self._folder = folder
        self._versions = versions
        self._bytes_left = bytes_left
        self._left = MOST_NODES

    def function(self, proto: onnx.FunctionProto) -> Function:
        versions = {each.domain: each.version for each in proto.opset_import} or self._versions
        inner = _Reader(self._folder, versions, self._bytes_left)
        nodes = tuple(map(inner.node, proto.node))
        defaults = dict(map(inner.attribute, proto.attribute_proto))
        self._bytes_left = inner._bytes_left
        return Function(tuple(proto.input), tuple(proto.output), defaults, nodes)

    def graph(self, proto: onnx.GraphProto) -> SourceGraph:
        arrays = {each.name: self.array(each, each.name) for each in proto.initializer}
        arrays |= {each.values.name: self._dense(each) for each in proto.sparse_initializer}
        given = Counter(name for node in proto.node for name in node.output if name)
        given.update(each.name for each in proto.initializer)
        given.update(each.values.name for each in proto.sparse_initializer)
        given.update(each.name for each in proto.input if each.name not in arrays)
        for name, count in given.items():
            if count > 1:
                raise InvalidModelError(f"{count} nodes, inputs or initializers give '{name}': only one may")
        return SourceGraph(
            proto.name,
            tuple(_declared(each) for each in proto.input if each.name not in arrays),
            tuple(map(_declared, proto.output)),
            arrays,
            tuple(map(self.node, proto.node)),
            {each.name: _declared(each) for each in proto.value_info},
            proto.doc_string,
        )

    def node(self, proto: onnx.NodeProto) -> SourceNode:
        self._left -= 1
        if self._left < 0:
            raise InvalidModelError(f"it has more than {MOST_NODES:,} nodes")
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        opset = self._versions.get(domain, self._versions.get("ai.onnx", 0) if not domain else 0)
        try:
            attributes = dict(map(self.attribute, proto.attribute))
        except InvalidModelError as error:
            shown = proto.name or next(iter(proto.output), proto.op_type)
            raise InvalidModelError(f"node '{shown}': {error}") from None
        modules = modules_of(proto.name, {each.key: each.value for each in proto.metadata_props})
        inputs, outputs = tuple(proto.input), tuple(proto.output)
        return SourceNode(proto.op_type, domain, proto.name, inputs, outputs, attributes, opset, modules)

    def attribute(self, proto: onnx.AttributeProto) -> tuple[str, Any]:
        if proto.ref_attr_name:
            return proto.name, Reference(proto.ref_attr_name)
        match proto.type:
            case 1:
                return proto.name, shortest(proto.f)
            case 2:
                return proto.name, proto.i
            case 3:
                return proto.name, _text(proto.s)
            case 4:
                return proto.name, self.array(proto.t, proto.name)
            case 5:
                return proto.name, self.graph(proto.g)
            case 6:
                return proto.name, list(map(shortest, proto.floats))
            case 7:
                return proto.name, list(proto.ints)
            case 8:
                return proto.name, [_text(each) for each in proto.strings]
            case 9:
                return proto.name, [self.array(each, proto.name) for each in proto.tensors]
            case 11:
                return proto.name, self._dense(proto.sparse_tensor)
        return proto.name, None

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def array(self, proto: onnx.TensorProto, name: str) -> Array:
        """Return the elements of a tensor, without a copy if their stored form is usable."""
        import onnx

        if any(extent < 0 for extent in proto.dims):
            raise InvalidModelError(f"the tensor '{name}' has a negative extent")
        if proto.data_location == onnx.TensorProto.EXTERNAL:
            return self._external(proto, name)
        try:
            return onnx.numpy_helper.to_array(proto)
        except Exception as error:  # any failure means that the file has other data
            shape = ", ".join(map(str, proto.dims))
            raise InvalidModelError(f"the tensor '{name}' of shape [{shape}] has other data: {error}") from None

    def _external(self, proto: onnx.TensorProto, name: str) -> Array:
        import onnx

        given = {each.key: each.value for each in proto.external_data}
        location = given.get("location", "")
        try:
            dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(proto.data_type))
        except KeyError:
            raise InvalidModelError(f"the tensor '{name}' has items of the unknown type {proto.data_type}") from None
        if dtype.hasobject:
            raise InvalidModelError(f"the tensor '{name}' has strings, which are never in another file")
        count = prod(proto.dims)
        share = _ITEMS_OF_A_BYTE.get(dtype.name, 1)
        size = -(-count * dtype.itemsize // share)
        try:
            offset, length = int(given.get("offset", 0)), int(given.get("length", size))
        except ValueError:
            raise InvalidModelError(f"the tensor '{name}' is at no place of '{location}'") from None
        if size != length or offset < 0:
            raise InvalidModelError(f"the tensor '{name}' has {count} elements, but {length} bytes in '{location}'")
        path = self._inside(location, name)
        try:
            with open_file(path) as file:
                if os.fstat(file.fileno()).st_size < offset + length:
                    raise InvalidModelError(f"the tensor '{name}' goes beyond the end of '{location}'")
                if not count:
                    return np.zeros(tuple(proto.dims), dtype)
                if share == 1:
                    return np.memmap(file, dtype, "r", offset, tuple(proto.dims))
                self._take(count, name)
                file.seek(offset)
                stored = onnx.TensorProto(data_type=proto.data_type, dims=proto.dims, raw_data=file.read(length))
                return onnx.numpy_helper.to_array(stored)
        except OSError as error:
            raise InvalidModelError(f"the tensor '{name}' is in '{location}': {reason(error)}") from None
        except ValueError as error:
            shape = ", ".join(map(str, proto.dims))
            raise InvalidModelError(f"the tensor '{name}' can't have the shape [{shape}]: {error}") from None

    def _take(self, count: int, name: str) -> None:
        """Raise InvalidModelError if so many bytes more are too many."""
        self._bytes_left -= count
        if self._bytes_left < 0:
            raise InvalidModelError(
                f"the tensor '{name}' takes {count:,} bytes, more than is left of the memory that all may take"
            )

    def _inside(self, location: str, name: str) -> str:
        """Return the path of a file of the model's folder."""
        if self._folder is None:
            raise InvalidModelError(f"the tensor '{name}' is in another file")
        root = os.path.realpath(self._folder)
        path = os.path.realpath(os.path.join(root, location.replace("\0", "")))
        if not location or "\0" in location or os.path.isabs(location) or os.path.commonpath([root, path]) != root:
            raise InvalidModelError(f"the tensor '{name}' is in '{location}', which is not in the folder of the model")
        return path

    def _dense(self, proto: onnx.SparseTensorProto) -> Array:
        name = proto.values.name
        values, indices = self.array(proto.values, name), self.array(proto.indices, name)
        if any(extent < 0 for extent in proto.dims):
            raise InvalidModelError(f"the sparse tensor '{name}' has a negative extent")
        self._take(prod(proto.dims) * values.dtype.itemsize, name)
        try:
            found = np.zeros(tuple(proto.dims), values.dtype)
            found[tuple(indices.T) if indices.ndim == 2 else np.unravel_index(indices, found.shape)] = values
        except (IndexError, TypeError, ValueError) as error:
            raise InvalidModelError(f"the sparse tensor '{name}': {error}") from None
        return found


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _declared(proto: onnx.ValueInfoProto) -> Declared:
    return declared_type(proto.name, proto.type)


def declared_type(name: str, proto: onnx.TypeProto) -> Declared:
    """Return the declaration of a tensor by its type."""
    import onnx

    if not proto.HasField("tensor_type"):
        return Declared(name, None, None)
    tensor = proto.tensor_type
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    except (KeyError, TypeError):
        return Declared(name, None, None)
    return Declared(name, dtype, tuple(_extents(tensor.shape)) if tensor.HasField("shape") else None)


def _extents(shape: onnx.TensorShapeProto) -> Iterator[int | str | None]:
    for each in shape.dim:
        if each.HasField("dim_value") and each.dim_value >= 0:
            yield each.dim_value
        else:
            yield each.dim_param or None
