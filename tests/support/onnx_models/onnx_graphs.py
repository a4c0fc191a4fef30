"""Whole graphs as ONNX models, so that onnxruntime can judge their results and their speed.

Only what the networks of ``examples/`` consist of is translated; shapes must be numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from snd_analysis.compose import Specialization, decompose
from snd_analysis.model import Graph, Operation, Tensor, TensorValue
from snd_analysis.symbolic.values import NULL
from snd_runtime.execution.plain import plain, static_shape

_TYPES = {"real": TensorProto.FLOAT, "int": TensorProto.INT64, "bool": TensorProto.BOOL}
_NUMPY = {"real": np.float32, "int": np.int64, "bool": np.bool_}
_OPERATOR_SET = 20

Attributes = Mapping[str, Any]


def onnx_session(
    specialization: Specialization, variables: Mapping[str, Any], threads: int = 1
) -> onnxruntime.InferenceSession:
    """The graph with these weights in onnxruntime; its inputs and outputs have the names they have in the graph."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    model = _Translation(specialization, variables).model()
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class _Translation:
    def __init__(self, specialization: Specialization, variables: Mapping[str, Any]) -> None:
        assert specialization.body is not None
        self._graph: Graph = decompose(specialization.body, lambda name: True, specialization.template.name.path)
        self._variables = variables
        self._names: dict[Tensor, str] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        """The model; KeyError for an operator that has no translation."""
        inputs = [self._value_info(tensor) for tensor in self._graph.inputs.values()]
        for name, value in self._graph.variables.items():
            given = self._variables[name]
            rows = [(value, given)] if isinstance(value, Tensor) else zip(value.items, given, strict=True)  # type: ignore[union-attr]
            for tensor, array in rows:
                self._names[tensor] = self.constant(array, array.dtype)
        for operation in self._graph.operations:
            self._operation(operation)
        outputs = [self._value_info(tensor) for tensor in self._graph.outputs.values()]
        graph = helper.make_graph(self._nodes, "graph", inputs, outputs, self._initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPERATOR_SET)])
        model.ir_version = 9
        onnx.checker.check_model(model)
        return model

    def node(self, kind: str, inputs: Sequence[str], output: Tensor | None = None, **attributes: Any) -> str:
        """Adds a node; the name of its result."""
        name = f"t{len(self._nodes)}" if output is None else self.name(output)
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        """The name of a constant."""
        name = f"c{len(self._initializers)}"
        self._initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def name(self, value: TensorValue) -> str:
        """The name of a tensor or a scalar."""
        if isinstance(value, Tensor):
            if value.value is not None and value not in self._names:
                assert value.dtype is not None
                elements = np.asarray(plain(value.value), _NUMPY[value.dtype])
                whole = elements.reshape(shape_of(value)) if elements.ndim else np.full(shape_of(value), elements)
                self._names[value] = self.constant(whole, _NUMPY[value.dtype])
            return self._names.setdefault(value, value.name)
        scalar = plain(value)
        dtype = np.bool_ if isinstance(scalar, bool) else np.int64 if isinstance(scalar, int) else np.float32
        return self.constant(scalar, dtype)

    def _value_info(self, tensor: TensorValue) -> onnx.ValueInfoProto:
        assert isinstance(tensor, Tensor)
        assert tensor.dtype is not None
        return helper.make_tensor_value_info(self.name(tensor), _TYPES[tensor.dtype], list(shape_of(tensor)))

    def _operation(self, operation: Operation) -> None:
        assert operation.operator is not None
        module = operation.operator.path.removeprefix("snd:")
        attributes = {name: plain(value) for name, value in operation.attributes.items()}
        TRANSLATIONS[f"{module}.{operation.operator.name}"](self, operation, attributes)


def shape_of(tensor: TensorValue) -> tuple[int, ...]:
    """The extents of a tensor; none of a scalar."""
    if not isinstance(tensor, Tensor):
        return ()
    found = static_shape(tensor)
    assert found is not None
    return found


Translate = Callable[[_Translation, Operation, Attributes], None]


def _output(operation: Operation) -> Tensor:
    (output,) = operation.outputs
    assert isinstance(output, Tensor)
    return output


def _plain(kind: str) -> Translate:
    def translate(to: _Translation, operation: Operation, attributes: Attributes) -> None:
        to.node(kind, [to.name(value) for value in operation.inputs], _output(operation))

    return translate


def _broadcasting(kind: str, *aligns: str) -> Translate:
    """Shapes are aligned at their last dimensions, as in ONNX, unless the operator says where."""

    def translate(to: _Translation, operation: Operation, attributes: Attributes) -> None:
        rank = len(shape_of(_output(operation)))
        operands = []
        for value, align in zip(operation.inputs, aligns, strict=True):
            shape, name = shape_of(value), to.name(value)
            start = attributes[align]
            if start is not None:
                start += 0 if start >= 0 else rank - len(shape) + 1
                extents = (1,) * start + shape + (1,) * (rank - len(shape) - start)
                name = to.node("Reshape", [name, to.constant(extents)])
            operands.append(name)
        to.node(kind, operands, _output(operation))

    return translate


def _reduction(kind: str) -> Translate:
    def translate(to: _Translation, operation: Operation, attributes: Attributes) -> None:
        operands = [to.name(operation.inputs[0]), to.constant(attributes["axes"])]
        to.node(kind, operands, _output(operation), keepdims=int(not attributes["squeeze"]))

    return translate


def _reshape(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    output = _output(operation)
    to.node("Reshape", [to.name(operation.inputs[0]), to.constant(shape_of(output))], output)


def _window(attributes: Attributes, operation: Operation) -> dict[str, Any]:
    assert attributes["padding"] is not None, "padding that is not given would have to be calculated"
    return {
        "strides": attributes["stride"],
        "dilations": attributes["dilation"],
        "pads": attributes["padding"],
    }


def _convolution(kind: str) -> Translate:
    def translate(to: _Translation, operation: Operation, attributes: Attributes) -> None:
        inputs = [to.name(value) for value in operation.inputs if value is not NULL]
        channels = shape_of(operation.inputs[0])[1]
        groups = attributes["groups"] or channels
        to.node(kind, inputs, _output(operation), group=groups, **_window(attributes, operation))

    return translate


def _pool(kind: str) -> Translate:
    def translate(to: _Translation, operation: Operation, attributes: Attributes) -> None:
        assert tuple(attributes["axes"]) == (2, 3)
        window = {"kernel_shape": attributes["size"], **_window(attributes, operation)}
        if kind == "MaxPool":
            to.node(kind, [to.name(operation.inputs[0])], _output(operation), **window)
            return
        mean = to.node("AveragePool", [to.name(operation.inputs[0])], None, count_include_pad=1, **window)
        volume = to.constant(np.prod(attributes["size"]), np.float32)
        to.node("Mul", [mean, volume], _output(operation))

    return translate


def _linear(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    inputs = [to.name(value) for value in operation.inputs if value is not NULL]
    to.node("Gemm", inputs, _output(operation), transB=1)


def _matmul(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    operands = []
    for value, flag in zip(operation.inputs, ("transA", "transB"), strict=True):
        name, rank = to.name(value), len(shape_of(value))
        if attributes[flag]:
            name = to.node("Transpose", [name], perm=[*range(rank - 2), rank - 1, rank - 2])
        operands.append(name)
    to.node("MatMul", operands, _output(operation))


def _relu(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    assert attributes["alpha"] is None
    name = to.name(operation.inputs[0])
    if attributes["max"] is None:
        to.node("Relu", [name], _output(operation))
        return
    bounds = [to.constant(bound, np.float32) for bound in (0.0, attributes["max"])]
    to.node("Clip", [name, *bounds], _output(operation))


def _gelu(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    assert attributes["approximate"] is None
    to.node("Gelu", [to.name(operation.inputs[0])], _output(operation))


def _transpose(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    assert attributes["axis"] == 0
    to.node("Transpose", [to.name(operation.inputs[0])], _output(operation), perm=attributes["perm"])


def _gather(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    to.node("Gather", [to.name(value) for value in operation.inputs], _output(operation), axis=attributes["axis"])


def _slice(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    bounds = [to.constant(attributes[name]) for name in ("begin", "end", "axes", "stride")]
    to.node("Slice", [to.name(operation.inputs[0]), *bounds], _output(operation))


def _square(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    name = to.name(operation.inputs[0])
    to.node("Mul", [name, name], _output(operation))


def _concat(to: _Translation, operation: Operation, attributes: Attributes) -> None:
    (pack,) = operation.inputs
    to.node("Concat", [to.name(item) for item in pack.items], _output(operation), axis=attributes["axis"])  # type: ignore[union-attr]


TRANSLATIONS: Mapping[str, Translate] = {
    **{
        f"math.{name}": _broadcasting(kind, "lhs_align", "rhs_align")
        for name, kind in {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}.items()
    },
    "math.select": _broadcasting("Where", "cond_align", "lhs_align", "rhs_align"),
    **{f"math.{name}": _plain(kind) for name, kind in {"exp": "Exp", "sqrt": "Sqrt", "tanh": "Tanh"}.items()},
    "math.sqr": _square,
    "math.max_reduce": _reduction("ReduceMax"),
    "math.sum_reduce": _reduction("ReduceSum"),
    **dict.fromkeys(
        ["layout.flatten", "layout.unflatten", "layout.unsqueeze", "layout.squeeze", "layout.reshape"], _reshape
    ),
    "layout.transpose": _transpose,
    "layout.gather": _gather,
    "layout.slice": _slice,
    "layout.concat": _concat,
    "linalg.matmul": _matmul,
    "nn.conv": _convolution("Conv"),
    "nn.deconv": _convolution("ConvTranspose"),
    "nn.max_pool": _pool("MaxPool"),
    "nn.sum_pool": _pool("AveragePool"),
    "nn.linear": _linear,
    "nn.relu": _relu,
    "nn.gelu": _gelu,
}
