"""Statements of NNEF 1.0 being written, of a graph or a fragment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field

from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.nnef1.syntax import KEYWORDS, Dialect
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.scope import NameTable, TensorScope
from snd_server.exchange.graph_export.tensors import constant_array
from snd_server.exchange.nnef1_export.literals import Expression, written_extent, written_item, written_value

GENERICS: Mapping[str, str] = {"f": "scalar", "i": "integer", "u": "integer", "b": "logical"}
"""Types of NNEF 1.0 by kinds of arrays."""
TRACT_TYPES: Mapping[str, str] = {"real": "f32", "int": "i64", "bool": "bool"}
"""Types of tract by types of SkriptND."""
_LITERAL_ELEMENTS = 8
"""Number of elements up to which a constant stands in the text, as tract writes them."""
_UNFIT = re.compile(r"[^A-Za-z0-9_]")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_CORE = "tract_core"
_LITERALS = ("true", "false", "inf")
"""Beginnings of names at which tract reads a literal, and fails at the rest of the name."""


def fit_identifier(name: str) -> str:
    """Return a name with underscores for the characters that identifiers don't have."""
    fitting = _UNFIT.sub("_", name)
    return f"_{fitting}" if not fitting or fitting[0].isdigit() or fitting.startswith(_LITERALS) else fitting


def is_name(text: str) -> bool:
    """Return whether the text of an argument is a name, not a literal."""
    return _IDENTIFIER.fullmatch(text) is not None and text not in ("true", "false")


class Statement(Struct, frozen=True):
    """An assignment: results, and an invocation. An input is an expression; None for one that is left out."""

    results: tuple[str, ...]
    operation: str
    inputs: tuple[str, ...]
    attributes: Mapping[str, str] = {}
    generic: str | None = None
    is_array: bool = False
    """True if the results are the items of an array."""
    is_tuple: bool = False
    """True if the results are the items of a tuple."""

    @property
    def names(self) -> Iterable[str]:
        """The identifiers in the invocation."""
        return _IDENTIFIER.findall(" ".join((*self.inputs, *self.attributes.values())))

    @property
    def text(self) -> str:
        """The statement in a line."""
        left = ", ".join(self.results)
        generic = f"<{self.generic}>" if self.generic else ""
        arguments = [*self.inputs, *(f"{name} = {value}" for name, value in self.attributes.items())]
        left = f"[{left}]" if self.is_array else f"({left})" if self.is_tuple else left
        return f"{left} = {self.operation}{generic}({', '.join(arguments)});"


def needed_statements(statements: Sequence[Statement], results: Iterable[str]) -> list[Statement]:
    """Return the statements that lead to results, and those that change variables."""
    wanted, found = set(results), []
    for each in reversed(statements):
        if each.operation == "update" or wanted.intersection(each.results):
            wanted.update(each.names)
            found.append(each)
    return found[::-1]


class WrittenArray(Struct, frozen=True, eq=False):
    """A variable: its label, and its elements."""

    label: str
    array: np.ndarray[Any, Any]


class TextRoot(NameTable):
    """A graph or fragment: its names, its variables, and the extensions that it needs."""

    def __init__(self, dialect: Dialect, is_fragment: bool, symbols: Iterable[str] = ()) -> None:
        super().__init__(fit_identifier)
        self.dialect = dialect
        self.is_fragment = is_fragment
        self.registries: dict[str, None] = {}
        self.notes: dict[str, None] = {}
        """Warnings about results of the engine that may differ."""
        self.stored: dict[str, WrittenArray] = {}
        """Variables by name."""
        self.borrow: Callable[[np.ndarray[Any, Any], str], str] | None = None
        """A function that makes a variable outside of a fragment, and returns its name in it."""
        self.uniform: dict[str, Statement] = {}
        """Statements that make constants, in Khronos' dialect."""
        for name in (*KEYWORDS, *symbols):  # a symbol and a tensor of one name would be confused
            self.fresh(name)

    @property
    def is_tract(self) -> bool:
        """Return whether tract is to read the text."""
        return self.dialect is Dialect.TRACT

    def register(self, registry: str) -> None:
        """Note that a registry of tract is used."""
        self.registries[registry] = None


class StackedPack(Struct, frozen=True):
    """A tensor that holds the tensors of a pack along an axis: with this axis, of extent 1, or without."""

    name: str
    axis: int
    is_squeezed: bool
    """True if the tensors of the pack do not have the axis."""


class TextScope(TensorScope[TextRoot]):
    """Statements in order, and the names that the tensors of the model have there."""

    def __init__(self, root: TextRoot, parent: TextScope | None = None, *, is_in_place: bool = False) -> None:
        """Begin a scope; one that ``is_in_place`` adds to the statements of its parent."""
        super().__init__(root, parent)
        self.statements: list[Statement] = parent.statements if is_in_place and parent is not None else []
        self.packs: dict[tuple[Tensor, ...], StackedPack] = {}
        """Packs whose tensors are parts of one, by these tensors; of an unknown number, by their representative."""

    def packed(self, value: TensorValue) -> StackedPack | None:
        """Return the tensor that holds the tensors of a pack, here or further out."""
        key = tuple(tensors_of(value))
        if key in self.packs:
            return self.packs[key]
        return self.parent.packed(value) if isinstance(self.parent, TextScope) else None

    @property
    def dialect(self) -> Dialect:
        """The dialect of the text."""
        return self.root.dialect

    @property
    def is_tract(self) -> bool:
        """Return whether tract is to read the text."""
        return self.root.is_tract

    # ---- statements --------------------------------------------------------------------------------------------------
    def mark(self) -> int:
        """Return a mark of the present state, for ``return_to``."""
        return len(self.statements)

    def return_to(self, mark: int) -> None:
        """Drop the statements that were added since a mark."""
        del self.statements[mark:]

    def node(self, operation: str, inputs: Sequence[str], output: str | None = None, /, **attributes: Any) -> str:
        """Add an invocation with one result; return its name."""
        name = output or self.root.fresh(operation.removeprefix("tract_core_").removeprefix("tract_"))
        return self.nodes_of(operation, inputs, [name], **attributes)[0]

    def nodes_of(
        self,
        operation: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        /,
        *,
        generic: str | None = None,
        is_array: bool = False,
        is_tuple: bool = False,
        **attributes: Any,
    ) -> Sequence[str]:
        """Add an invocation with these results; attributes of None are left out. Raise Unsuitable."""
        written = {
            name.removesuffix("_"): written_value(value, self.dialect)
            for name, value in attributes.items()
            if value is not None
        }
        self._register(operation)
        self.statements.append(
            Statement(tuple(outputs), operation, tuple(inputs), written, generic, is_array, is_tuple)
        )
        return outputs

    def _register(self, operation: str) -> None:
        """Note the registry of an operation of tract. Raise Unsuitable in Khronos' dialect."""
        for prefix, registry in _REGISTRIES.items():
            if operation.startswith(prefix):
                if not self.is_tract:
                    raise Unsuitable("Khronos' dialect has no such operation")
                self.root.register(registry)
                return

    # ---- constants ---------------------------------------------------------------------------------------------------
    def valued(self, tensor: Tensor) -> str:
        """Return a literal or the name of a constant for a tensor that has a value."""
        if isinstance(tensor.value, Integer) and tensor.value.value is None and tensor.shape == ():
            extent = written_extent(tensor.value, self.dialect)
            return self.node("tract_core_cast", [extent], to="i64")
        return self.array(constant_array(tensor), tensor.name)

    def array(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return a literal or the name of a constant with the elements of an array."""
        return self.constant(array, array.dtype, wanted)

    def constant(self, value: Any, dtype: Any = np.int64, wanted: str = "constant") -> str:
        """Return a literal, or the name of a variable or a constant, with these elements. Raise Unsuitable."""
        array = np.asarray(value, dtype)
        if array.dtype == object:
            raise Unsuitable("NNEF 1.0 has no tensors of strings")
        if array.dtype.kind == "f":
            array = array.astype(np.float32)
        if array.size == 0 or array.size > _LITERAL_ELEMENTS or np.isnan(array).any():
            return self.variable_of(array, wanted)
        return self._in_tract(array, wanted) if self.is_tract else self._in_khronos(array, wanted)

    def _in_tract(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        literal = _nested(array, self.dialect)
        if array.dtype.kind == "f":
            return literal
        if array.dtype.kind == "b" and array.ndim == 0:
            return literal
        if array.ndim > 1 or array.dtype.kind == "b":
            return self.variable_of(array, wanted)
        return self.node("tract_core_cast", [literal], to=str(array.dtype).replace("int", "i").replace("ui", "u"))

    def _in_khronos(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        if not np.isfinite(array).all():
            return self.variable_of(array, wanted)
        if array.ndim == 0:
            return _nested(array, self.dialect)
        name = self.root.constant(array, wanted)
        items = [Expression(written_item(each, self.dialect)) for each in array.reshape(-1)]
        attributes = {"shape": list(array.shape), "value": items}
        written = {key: written_value(each, self.dialect) for key, each in attributes.items()}
        self.root.uniform[name] = Statement((name,), "constant", (), written, GENERICS[array.dtype.kind])
        return name

    def variable_of(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return the name of a variable with these elements."""
        if self.root.borrow is not None:
            return self.root.borrow(array, wanted)
        if self.root.is_fragment:
            raise Unsuitable("a fragment has no variables of its own")
        name = self.root.constant(array, wanted)
        self.root.stored[name] = WrittenArray(name, array)
        return name


_REGISTRIES = {
    "tract_core_": _CORE,
    "tract_shl": _CORE,
    "tract_shr": _CORE,
    "tract_onnx_": "tract_onnx",
    "tract_pulse_": "tract_pulse",
    "tract_extra_": "tract_extra",
    "tract_transformers_": "tract_transformers",
    "tract_moe_": "tract_transformers",
    "tract_qwen35_": "tract_transformers",
}
"""The registries of tract by the beginnings of the names of their operations."""


def _nested(array: np.ndarray[Any, Any], dialect: Dialect) -> str:
    if array.ndim == 0:
        return written_item(array[()], dialect)
    return f"[{', '.join(_nested(each, dialect) for each in array)}]"


class WrittenFragment(Struct, frozen=True):
    """A fragment of the text: an operator of the model."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Names and types."""
    results: tuple[tuple[str, str], ...]
    statements: tuple[Statement, ...]
    variables: tuple[str, ...]
    """The variables that are further parameters, by the names that they have in the operator."""


class Nnef1Model(Struct, frozen=True):
    """A graph in NNEF 1.0 with its variables."""

    dialect: Dialect
    text: str
    stored: tuple[WrittenArray, ...]
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    has_few_bits: bool = False
    """True if the model computes with quantized tensors, or with reals of 16 bits."""
    quantization: str = ""
    """The text of ``graph.quant``; empty for none."""
    operations: int = 0
    fragments: tuple[str, ...] = ()
    traced: Mapping[str, str] = field(default_factory=dict)
    """The names of the tensors of the graph in the text, by their names in the model."""
    makers: Mapping[str, str] = field(default_factory=dict)
    """The operations of the graph by their results."""
    defaults: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    """The values that inputs have in the graph if they are left out; NNEF 1.0 has no such inputs."""
    notes: tuple[str, ...] = ()
    """Sentences about what the model does not have."""
