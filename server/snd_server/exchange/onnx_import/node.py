"""Nodes of ONNX models, and the registry of their translations.

The modules of ``operations`` register a translation for each kind of node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.model import Tensor, TensorValue
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.onnx_import.builder import Builder
from snd_server.exchange.onnx_import.data import Data, OnnxArgument, constant_of, natural, require
from snd_server.exchange.onnx_import.source import SourceGraph, SourceNode

INT, REAL, BOOL = np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.bool_)
_DTYPES: dict[str, np.dtype[Any]] = {"int": INT, "real": REAL, "bool": BOOL, "str": np.dtype(object)}


class TensorSequence(Struct, frozen=True, eq=False):
    """A sequence of tensors, whose number is known."""

    items: tuple[Data, ...]


Item: TypeAlias = "Data | TensorSequence | None"
"""The value of a name in the source: a tensor, a sequence, or nothing."""
Translation: TypeAlias = "Callable[[OnnxNode], Item | Sequence[Item]]"
"""A function from a node to its output, or a list of all outputs."""

_ARITHMETIC = frozenset(["math.add", "math.sub", "math.mul", "math.div", "math.neg"])
_COUNTED = frozenset(["layout.nonzero", "layout.shape", "math.argmax", "math.argmin"])
"""Operators with natural results; below, operators with natural results for natural inputs."""
_KEEPS_NATURAL = frozenset([
    "layout.broadcast", "layout.cast", "layout.concat", "layout.flatten", "layout.gather", "layout.gather_nd",
    "layout.reshape", "layout.slice", "layout.split", "layout.squeeze", "layout.stack", "layout.tile",
    "layout.transpose", "layout.unsqueeze", "math.add", "math.mul", "onnx.gather_elements",
])  # fmt: skip
TRANSLATIONS: dict[tuple[str, str], Translation] = {}
"""Translations by domain and kind of node."""
DOMAIN_TRANSLATIONS: dict[str, Translation] = {}
"""Translations of all nodes of a domain that looks its kinds up itself."""


def unless(condition: object, **attributes: Any) -> dict[str, Any]:
    """Return attributes, or none if the condition holds: then these are the defaults."""
    return {} if condition else attributes


def translation(*kinds: str, domain: str = "") -> Callable[[Translation], Translation]:
    """Register a function as the translation of some kinds of nodes."""

    def register(function: Translation) -> Translation:
        for kind in kinds:
            assert (domain, kind) not in TRANSLATIONS, kind
            TRANSLATIONS[domain, kind] = function
        return function

    return register


class GraphTranslator(Protocol):
    """The translator of the graph that a node is in."""

    def declared_rank(self, name: str) -> int | None:
        """Return the rank that the model declares for a tensor; None if it declares none."""

    def nested(self, graph: SourceGraph, known: Mapping[str, Item]) -> list[Item]:
        """Translate a graph inside a node, which sees all names around the node; return its outputs.

        Raise UntranslatableError.
        """


class OnnxNode(Struct, frozen=True, eq=False):
    """A node with the facts about its inputs."""

    source: SourceNode
    inputs: Sequence[Item]
    builder: Builder
    translator: GraphTranslator

    @property
    def kind(self) -> str:
        """The kind of node: ``Conv``."""
        return self.source.kind

    @property
    def opset(self) -> int:
        """The version of its domain."""
        return self.source.opset

    @property
    def output_count(self) -> int:
        """Number of named outputs."""
        return len(self.source.outputs)

    def wants(self, number: int) -> bool:
        """Return whether an output is taken."""
        return number < self.output_count and bool(self.source.outputs[number])

    def declared_rank(self, number: int) -> int | None:
        """Return how many dimensions the model says that an output has; None if it says nothing."""
        return self.translator.declared_rank(self.source.outputs[number])

    # ---- attributes --------------------------------------------------------------------------------------------------
    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute."""
        value = self.source.attributes.get(name)
        return default if value is None else value

    def number(self, name: str, default: int = 0) -> int:
        """Return an attribute that is an int."""
        value = self.attribute(name, default)
        require(isinstance(value, int), f"the attribute '{name}' is no int")
        return int(value)

    def real(self, name: str, default: float) -> float:
        """Return an attribute that is a real."""
        value = self.attribute(name, default)
        require(isinstance(value, int | float), f"the attribute '{name}' is no real")
        return float(value)

    def text(self, name: str, default: str) -> str:
        """Return an attribute that is a text."""
        value = self.attribute(name, default)
        require(isinstance(value, str), f"the attribute '{name}' is no text")
        return str(value)

    def graph(self, name: str) -> SourceGraph:
        """Return an attribute that is a graph."""
        value = self.attribute(name)
        require(isinstance(value, SourceGraph), f"there is no graph '{name}'")
        assert isinstance(value, SourceGraph)
        return value

    # ---- inputs ------------------------------------------------------------------------------------------------------
    def maybe(self, number: int) -> Data | None:
        """Return an input; None if it is left out."""
        value = self.inputs[number] if number < len(self.inputs) else None
        require(not isinstance(value, TensorSequence), "a sequence in the place of a tensor")
        assert value is None or isinstance(value, Data)
        return value

    def input(self, number: int) -> Data:
        """Return an input that must be there."""
        value = self.maybe(number)
        require(value is not None, f"its input {number + 1} is missing")
        assert value is not None
        return value

    @property
    def tensors(self) -> list[Data]:
        """All inputs."""
        return [self.input(number) for number in range(len(self.inputs))]

    def integers(self, number: int, name: str | None = None) -> list[Integer] | None:
        """Return a list that is an input, or was an attribute in older versions; its items may depend on extents.

        Raise UntranslatableError if the elements depend on the data of other tensors.
        """
        if name is not None and self.attribute(name) is not None:
            given = self.attribute(name)
            return [integers.constant(int(each)) for each in (given if isinstance(given, list) else [given])]
        data = self.maybe(number)
        if data is None:
            return None
        found = data.integers
        require(found is not None, f"the elements of '{self.source.inputs[number]}' must be known, but depend on data")
        assert found is not None
        return list(found.reshape(-1))

    def ints(self, number: int, name: str | None = None) -> list[int] | None:
        """Return a list of numbers that is an input, or was an attribute."""
        found = self.integers(number, name)
        if found is None:
            return None
        values = [each.value for each in found]
        require(None not in values, f"the elements of '{name or self.source.inputs[number]}' must be numbers")
        return [each for each in values if each is not None]

    def known_scalar(self, number: int) -> float | int | bool | None:
        """Return the element of an input that must be constant; None if it is left out."""
        data = self.maybe(number)
        if data is None or (data.array is not None and data.array.size == 0):
            return None
        found = data.scalar
        require(found is not None, f"'{self.source.inputs[number]}' must be constant, but depends on data")
        return found

    def axis(self, rank: int, default: int, name: str = "axis") -> int:
        """Return an axis, counted from the first one."""
        axis = self.number(name, default)
        require(-rank <= axis < max(rank, 1), f"there is no axis {axis} of {rank}")
        return axis % rank if rank else 0

    # ---- results -----------------------------------------------------------------------------------------------------
    def run(
        self, operator: str, *inputs: OnnxArgument, dtypes: Sequence[str] = (), like: np.dtype[Any] | None = None,
        **attributes: Any,
    ) -> Data:  # fmt: skip
        """Return the result of an operator of a library module, such as ``math.add``; numbers are accepted as tensors.

        ``like`` is the type of the elements in ONNX; else that of the first input, if they are of the same type.
        """
        (result,) = self.run_all(operator, *inputs, dtypes=dtypes, like=like, **attributes)
        return result

    def run_all(
        self, operator: str, *inputs: OnnxArgument, dtypes: Sequence[str] = (), like: np.dtype[Any] | None = None,
        **attributes: Any,
    ) -> list[Data]:  # fmt: skip
        """Return all tensors that an operator returns; items of packs one after the other."""
        found: list[Data] = []
        given = [each for each in inputs if isinstance(each, Data)]
        may_be_infinite = operator == "math.log" or (
            operator in _ARITHMETIC and any(each.may_be_infinite for each in given)
        )
        is_natural = _is_natural(operator, inputs, attributes)
        for value in self.builder.run(operator, inputs, dtypes, attributes):
            data = (self._data(each, given, like) for each in _flat(value))
            found += [replace(each, may_be_infinite=may_be_infinite, is_natural=is_natural) for each in data]
        return found

    def _data(self, tensor: Tensor, inputs: Sequence[Data], like: np.dtype[Any] | None) -> Data:
        shape = tensor.shape
        require(shape is not None and all(isinstance(each, Integer) for each in shape), "its rank is not known")
        dtype: np.dtype[Any] = _DTYPES[tensor.dtype or "real"]
        given = [like] if like is not None else [each.dtype for each in inputs]
        found = next((each for each in given if _same_kind(each, dtype)), dtype)
        extents = tuple(each for each in shape or () if isinstance(each, Integer))
        return Data(found, extents, tensor)

    def is_named(self, extent: Integer) -> bool:
        """Return whether the text can name an extent; else it depends on data."""
        return self.builder.is_named(extent)

    def extent(self, data: Data, axis: int) -> OnnxArgument:
        """Return an extent as an argument: a number, an expression of extents, or a run-time value."""
        if self.is_named(data.shape[axis]):
            return data.shape[axis]
        part = self.run("layout.slice", self.run("layout.shape", data, like=INT), begin=[axis], end=[axis + 1])
        return self.run("layout.squeeze", part, axes=[0])

    def constant(self, value: Any, dtype: np.dtype[Any] = INT, name: str = "") -> Data:
        """Return a constant."""
        return constant_of(np.asarray(value, dtype), name)

    def cast(self, data: Data, dtype: str) -> Data:
        """Return a tensor with elements of another type of the language."""
        return self.run("layout.cast", data, dtypes=[dtype])

    def as_real(self, data: Data) -> Data:
        """Return a tensor with its ints made reals, for operators that take reals only."""
        return data if data.is_real else self.cast(data, "real")

    def back(self, result: Data, data: Data) -> Data:
        """Return a tensor of reals as one with the type of another."""
        return result if data.is_real else self.run("layout.cast", result, dtypes=["int"], like=data.dtype)


def _is_natural(operator: str, inputs: Sequence[OnnxArgument], attributes: Mapping[str, Any]) -> bool:
    """Return whether no element of an operator's result is negative."""
    if operator == "layout.range":
        return natural(attributes["first"]) and natural(attributes.get("stride", 1))
    return operator in _COUNTED or (operator in _KEEPS_NATURAL and all(map(natural, inputs)))


def _flat(value: TensorValue) -> list[Tensor]:
    match value:
        case Tensor():
            return [value]
        case Pack():
            return [each for item in value.items or () for each in _flat(item)]  # type: ignore[arg-type]
        case _:
            return []


def _same_kind(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    first, second = Data(one, ()), Data(other, ())
    return (first.is_real, first.is_int, first.is_bool) == (second.is_real, second.is_int, second.is_bool)
