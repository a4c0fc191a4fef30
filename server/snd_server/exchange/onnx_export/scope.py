"""The nodes being written, of a graph, of a part of control flow, or of a function."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.scope import NameTable, TensorScope
from snd_server.exchange.graph_export.tensors import constant_array

OPERATOR_SET = 20
IR_VERSION = 9
TYPES: Mapping[str, int] = {
    "real": TensorProto.FLOAT,
    "int": TensorProto.INT64,
    "bool": TensorProto.BOOL,
    "str": TensorProto.STRING,
}
_LARGEST_CONSTANT = 1 << 26
_LARGEST_UNIFORM = 1 << 16
"""Number of equal elements of a constant that are written one by one."""
_UNFIT = re.compile(r"[^\w.\[\]/-]")


def fit_name(name: str) -> str:
    """Return a name with underscores for the characters that names in files don't have."""
    return _UNFIT.sub("_", name) or "t"


class Root(NameTable):
    """A graph or function: its names, and its constants."""

    def __init__(self, is_function: bool) -> None:
        super().__init__(fit_name)
        self.is_function = is_function


class NodeScope(TensorScope[Root]):
    """Nodes in order, and the names that the tensors of the model have there."""

    def __init__(self, root: Root, parent: NodeScope | None = None) -> None:
        super().__init__(root, parent)
        self.nodes: list[onnx.NodeProto] = []
        self.stored: dict[str, tuple[str, Any]] = {}
        """Ints of few bits that ints were made of, by the names of these, each with its type."""
        self._extents: dict[Hashable, tuple[str, int, Integer]] = {}
        self._dimensions: dict[tuple[str, int], str] = {}

    # ---- nodes -------------------------------------------------------------------------------------------------------
    def node(self, kind: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:
        """Add a node with one result; return its name."""
        return self.nodes_of(kind, inputs, [output or self.root.fresh(kind.lower())], **attributes)[0]

    def nodes_of(
        self, kind: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any
    ) -> Sequence[str]:
        """Add a node with these results."""
        given = {name: value for name, value in attributes.items() if value is not None}
        self.nodes.append(helper.make_node(kind, list(inputs), list(outputs), domain=domain, **given))
        return outputs

    def mark(self) -> tuple[int, int, int]:
        """Return a mark of the present state, for ``return_to``."""
        return len(self.nodes), len(self._extents), len(self._dimensions)

    def return_to(self, mark: tuple[int, int, int]) -> None:
        """Drop the nodes that were added since a mark, and the extents that they compute."""
        del self.nodes[mark[0] :]
        for table, size in ((self._extents, mark[1]), (self._dimensions, mark[2])):
            while len(table) > size:
                table.popitem()

    def constant(self, value: Any, dtype: Any = np.int64, wanted: str = "constant") -> str:
        """Return the name of a constant. Raise Unsuitable if it would be very large."""
        array = np.asarray(value, dtype)
        if array.size > _LARGEST_CONSTANT:
            raise Unsuitable(f"a table of {array.size:,} indices would be needed")
        return self.root.constant(array, wanted)

    def declared_constant(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return the name of a constant that a definition declares. A large one with equal elements is a node."""
        if array.size > _LARGEST_UNIFORM and array.dtype != object:
            first = array.reshape(-1)[:1]
            if array.tobytes() == first.tobytes() * array.size:
                value = numpy_helper.from_array(np.ascontiguousarray(first))
                shape = self.constant(array.shape)
                return self.node("ConstantOfShape", [shape], self.root.fresh(wanted), value=value)
        return self.root.constant(array, wanted)

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def bind(self, value: TensorValue, names: Sequence[str]) -> None:
        """Let the tensors of a value have these names here; their extents are known from now on."""
        super().bind(value, names)
        for tensor, name in zip(tensors_of(value), names, strict=True):
            for axis, extent in enumerate(tensor.shape or ()):
                if isinstance(extent, Integer) and extent.value is None:
                    self._learn(name, axis, extent)

    def _learn(self, name: str, axis: int, extent: Integer) -> None:
        """Note an extent ``factor * variable + constant``, which determines its only variable."""
        if len(extent.leaves) != 1:
            return
        (leaf,) = extent.leaves
        if leaf.key not in self._extents and integers.as_affine(extent, leaf.key) is not None:
            self._extents[leaf.key] = (name, axis, extent)

    def valued(self, tensor: Tensor) -> str:
        """Return the name of a constant for a tensor that has a value, of nodes for an integer of the run."""
        if isinstance(tensor.value, Integer) and tensor.value.value is None and tensor.shape == ():
            return self.scalar(tensor.value)
        return self.root.constant(constant_array(tensor), tensor.name)

    def array(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return the name of a constant. Raise Unsuitable if it would be very large."""
        return self.constant(array, array.dtype, wanted)

    # ---- extents -----------------------------------------------------------------------------------------------------
    def extents(self, shape: Iterable[object]) -> str:
        """Return the name of a vector with these extents."""
        parts: list[str] = []
        known: list[int] = []
        for extent in shape:
            if not isinstance(extent, Integer):
                raise Unsuitable("the rank is not known before the run")
            if extent.value is not None:
                known.append(extent.value)
                continue
            if known:
                parts.append(self.constant(known))
                known = []
            parts.append(self.integer(extent))
        if known or not parts:
            parts.append(self.constant(np.array(known, np.int64)))
        return parts[0] if len(parts) == 1 else self.node("Concat", parts, axis=0)

    def scalar(self, value: Integer) -> str:
        """Return the name of a tensor without dimensions that has the value of an integer. Raise Unsuitable."""
        return self.constant(value.value) if value.value is not None else self.node("Squeeze", [self.integer(value)])

    def integer(self, value: Integer) -> str:
        """Return the name of a vector of one element with the value of an integer. Raise Unsuitable."""
        if value.value is not None:
            return self.constant([value.value])
        total: str | None = None
        for monomial, coefficient in value.terms.items():
            term: str | None = None
            for atom, exponent in monomial:
                for _ in range(exponent):
                    factor = self._atom(atom)
                    term = factor if term is None else self.node("Mul", [term, factor])
            if term is None:
                term = self.constant([coefficient])
            elif coefficient != 1:
                term = self.node("Mul", [term, self.constant([coefficient])])
            total = term if total is None else self.node("Add", [total, term])
        assert total is not None
        return total

    def _atom(self, atom: Any) -> str:
        match type(atom).__name__, atom.parts:
            case "Variable", _:
                return self._variable(atom.leaf)
            case "Quotient", (dividend, divisor):
                a, b = self.integer(dividend), self.integer(divisor)
                return self.node("Div", [self.node("Sub", [a, self.node("Mod", [a, b])]), b])
            case "Extremum", _:
                kind = "Max" if atom.largest else "Min"
                return self.node(kind, [self.integer(each) for each in sorted(atom.candidates, key=str)])
            case "Absolute", (inner,):
                return self.node("Abs", [self.integer(inner)])
        raise Unsuitable(f"the extent '{atom}' can't be computed by nodes")

    def _variable(self, leaf: Any) -> str:
        for scope in self._outwards():
            assert isinstance(scope, NodeScope)
            if leaf.key in scope._extents:
                name, axis, extent = scope._extents[leaf.key]
                return self._solved(self._dimension(name, axis), extent)
        raise Unsuitable(f"the extent '{leaf.name}' is not known before the run")

    def _dimension(self, name: str, axis: int) -> str:
        known = self._dimensions.get((name, axis))
        if known is None:
            known = self.node("Shape", [name], start=axis, end=axis + 1)
            self._dimensions[name, axis] = known
        return known

    def _solved(self, dimension: str, extent: Integer) -> str:
        """Return the variable of an extent ``factor * variable + constant``."""
        constant = extent.constant_term
        factor = next(each for monomial, each in extent.terms.items() if monomial)
        if constant:
            dimension = self.node("Sub", [dimension, self.constant([constant])])
        return dimension if factor == 1 else self.node("Div", [dimension, self.constant([factor])])


def rounded(scope: NodeScope, name: str) -> str:
    """Return reals rounded, halves away from zero; ONNX rounds halves to even numbers."""
    size = scope.node("Abs", [name])
    whole = scope.node("Floor", [size])
    half = scope.constant(0.5, np.float32)
    up = scope.node("GreaterOrEqual", [scope.node("Sub", [size, whole]), half])
    away = scope.node("Add", [whole, scope.node("Cast", [up], to=TensorProto.FLOAT)])
    return scope.node("Mul", [scope.node("Sign", [name]), away])
