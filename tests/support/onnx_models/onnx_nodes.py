"""Nodes of ONNX models, and how operators of the library take their place.

The modules ``onnx_elementwise`` and so on register a translation for each kind of node that has a counterpart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import onnx

from snd_analysis.compose import Session
from snd_runtime.execution import Execution, execute
from support.runtime.operators import bind_library, library_snapshot

Arrays: TypeAlias = "tuple[Any, ...]"
Translation: TypeAlias = "Callable[[Node], Any]"
TRANSLATIONS: dict[str, Translation] = {}
"""By the kind of node. Each gives an output or a tuple of them; None for an output that has no counterpart."""

USED: dict[str, set[str]] = {}
"""The operators that have taken the place of nodes, by the kind of node."""


class UntranslatableError(Exception):
    """What a node asks for that the library does not have, or means to do otherwise."""


def translation(*kinds: str) -> Callable[[Translation], Translation]:
    """Registers a function as the translation of some kinds of nodes."""

    def register(function: Translation) -> Translation:
        for kind in kinds:
            assert kind not in TRANSLATIONS, kind
            TRANSLATIONS[kind] = function
        return function

    return register


@dataclass(frozen=True)
class Node:
    """A node with the values of its inputs: int64, bool, str (as objects) or reals of the type ``real``."""

    kind: str
    opset: int
    attributes: Mapping[str, Any]
    inputs: Sequence[Any]
    real: np.dtype[Any]
    types: Sequence[np.dtype[Any] | None]
    """What ONNX has as the types of the inputs."""
    output_count: int

    def input(self, number: int) -> Any:
        """An input; None if it is left out."""
        return self.inputs[number] if number < len(self.inputs) else None

    def ints(self, number: int, name: str | None = None) -> list[int] | None:
        """A list that is an input, or was an attribute in older versions."""
        if name is not None and name in self.attributes:
            return list(self.attributes[name])
        value = self.input(number)
        return None if value is None else [int(each) for each in np.reshape(value, -1)]

    def run(self, name: str, *inputs: Any, dtypes: Sequence[str] = (), **attributes: Any) -> Any:
        """What an operator of the library gives, such as ``math.add``; numbers may stand for scalar tensors."""
        USED.setdefault(self.kind, set()).add(name)
        arrays = [self.array(each) for each in inputs]
        specialization = bind_library(name, arrays, attributes, dtypes)
        outcome = execute(Session(library_snapshot()), specialization, arrays, Execution(real=self.real))
        outputs = tuple(outcome.outputs.values())
        return outputs[0] if len(outputs) == 1 else outputs

    def array(self, value: Any) -> Any:
        """An argument of an operator."""
        if value is None or isinstance(value, np.ndarray):
            return value
        if isinstance(value, list | tuple):
            return [self.array(each) for each in value]
        if isinstance(value, float | np.floating):
            return np.array(value, self.real)
        return np.array(value)

    def as_real(self, value: Any) -> Any:
        """A tensor with its ints made reals, for operators that take reals only."""
        return value if value.dtype.kind == "f" else self.run("layout.cast", value, dtypes=["real"])


def require(condition: object, reason: str) -> None:
    """Raises UntranslatableError unless the condition holds."""
    if not condition:
        raise UntranslatableError(reason)


def evaluate(model: onnx.ModelProto, inputs: Sequence[Any], real: np.dtype[Any]) -> list[Any]:
    """The outputs of a model whose nodes all have a translation."""
    graph = model.graph
    versions = {each.domain: each.version for each in model.opset_import}
    known: dict[str, Any] = {"": None}
    for tensor in graph.initializer:
        known[tensor.name] = onnx.numpy_helper.to_array(tensor)
    names = [each.name for each in graph.input if each.name not in known]
    known.update(zip(names, inputs, strict=True))
    for node in graph.node:
        outputs = _outputs(node, versions, [known[name] for name in node.input], real)
        known.update(zip(node.output, outputs, strict=False))
    return [known.get(each.name) for each in graph.output]


def _outputs(proto: onnx.NodeProto, versions: Mapping[str, int], values: Sequence[Any], real: np.dtype[Any]) -> Arrays:
    require(proto.domain in ("", "ai.onnx"), "operators of other domains")
    require(proto.op_type in TRANSLATIONS, f"{proto.op_type}: no counterpart")
    attributes = {each.name: _plain(onnx.helper.get_attribute_value(each)) for each in proto.attribute}
    node = Node(
        proto.op_type,
        versions[proto.domain],
        attributes,
        [converted(value, real) for value in values],
        real,
        [type_of(value) for value in values],
        len(proto.output),
    )
    outputs = TRANSLATIONS[proto.op_type](node)
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def type_of(value: Any) -> np.dtype[Any] | None:
    """The type of elements in ONNX; None of what is no tensor."""
    if isinstance(value, onnx.TensorProto):
        return onnx.helper.tensor_dtype_to_np_dtype(value.data_type)
    return getattr(value, "dtype", None)


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def converted(value: Any, real: np.dtype[Any]) -> Any:
    """A value of ONNX with the types of the language. Raises UntranslatableError if there is none."""
    if value is None:
        return None
    if isinstance(value, onnx.TensorProto):
        value = onnx.numpy_helper.to_array(value)
    require(isinstance(value, np.ndarray | np.generic), "sequences and optional values")
    array = np.asarray(value)
    if array.dtype in (np.float32, np.float64):
        return array.astype(real)
    if array.dtype.kind in "iu":
        require(array.size == 0 or int(array.max()) < 1 << 63, "ints of more than 63 bits")
        return array.astype(np.int64)
    if array.dtype.kind in "OU":
        return array.astype(object)
    require(array.dtype == np.bool_, "small reals, and ints of a few bits")
    return array


def nodes_of(model: onnx.ModelProto) -> Iterator[str]:
    """The kinds of nodes."""
    for node in model.graph.node:
        yield node.op_type
