"""The statements of a graph in the order of their creation: invocations bound to the known shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_analysis.base import OperatorName
from snd_analysis.compose import Arguments, Session, results_of
from snd_analysis.convert import GraphStep, InvocationStep, shortest
from snd_analysis.model import Tensor, TensorKind, TensorValue, tensor_value
from snd_analysis.skriptnd.names import LIBRARY_PREFIX
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer, Truth
from snd_analysis.symbolic.values import NULL, ItemRun, Pack, Value
from snd_analysis.workspace import Snapshot
from snd_server.exchange.onnx_import.data import Data, OnnxArgument, UntranslatableError, require, type_name
from snd_server.exchange.onnx_import.limits import MOST_WRITTEN_ITEMS
from snd_server.exchange.onnx_import.modules import Modules
from snd_server.exchange.onnx_import.source import Array


class Builder:
    """A builder of steps that knows which constants the steps take."""

    def __init__(self, snapshot: Snapshot, extents: Iterable[Integer]) -> None:
        """Prepare the statements; ``extents`` are the extents with a name in the text."""
        self._named = frozenset(leaf for each in extents for leaf in each.leaves)
        self._snapshot = snapshot
        self._session = Session(snapshot)
        self.steps: list[GraphStep] = []
        self.wanted: dict[Tensor, str] = {}
        """The names that tensors should have."""
        self.modules: dict[Tensor, Modules] = {}
        """The modules of the source that results come from."""
        self.arrays: dict[Tensor, Array] = {}
        """The values of variables."""
        self._constants: dict[int, tuple[object, Tensor]] = {}

    def allow(self, extents: Iterable[Integer]) -> None:
        """Let attributes depend on these extents, too."""
        self._named |= {leaf for each in extents for leaf in each.leaves}

    def run(
        self, operator: str, inputs: Sequence[OnnxArgument], dtypes: Sequence[str], attributes: Mapping[str, Any]
    ) -> tuple[TensorValue, ...]:
        """Add an invocation of an operator of a library module; return its results. Raise UntranslatableError."""
        module, _, name = operator.partition(".")
        template = self._session.template(OperatorName(f"{LIBRARY_PREFIX}{module}", name))
        assert template is not None, operator
        arguments = [self.argument(each) for each in inputs]
        while arguments and arguments[-1] is NULL:
            arguments.pop()
        values = {key: self._demand_named(value_of(each)) for key, each in attributes.items()}
        given = Arguments(tuple(dtypes), values, tuple(arguments))
        specialization = self._session.specialization(template, given)
        if not specialization.valid:
            failures = [failure.message for failure in specialization.failures]
            raise UntranslatableError(f"{operator}: {failures[0]}" if failures else f"{operator} can't be bound to it")
        for member, value in zip(template.inputs, arguments, strict=False):
            expected = specialization.scope.element_type(member.node.type)
            if isinstance(value, Tensor) and expected is not None:
                require(value.dtype == expected, f"{operator}: '{member.name}' is {value.dtype}, not {expected}")
        outputs = tuple(self._result(each, name) for each in results_of(specialization))
        padded = (*arguments, *(NULL for _ in range(len(template.inputs) - len(arguments))))
        # Attributes that are not given have their defaults, which the text does not repeat.
        written = {key: specialization.attributes[key] for key in attributes}
        self.steps.append(InvocationStep(template, specialization.scope.dtypes, written, padded, outputs))
        return outputs

    def _demand_named(self, value: Value) -> Value:
        """Raise UntranslatableError for an attribute by extents without a name, which depend on data."""
        if isinstance(value, Pack):
            for each in value.items or ():
                self._demand_named(each)
        elif isinstance(value, Integer):
            require(self.is_named(value), "a shape depends on data")
        return value

    def is_named(self, value: Integer) -> bool:
        """Return whether an int depends only on extents that have a name in the text."""
        return value.leaves <= self._named

    def _result(self, value: TensorValue, name: str) -> TensorValue:
        match value:
            case Tensor():
                return replace(value, name=name, kind=TensorKind.RESULT, value=None, place=None)
            case Pack():
                if value.segments and isinstance(run := value.segments[0], ItemRun) and len(value.segments) == 1:
                    return Pack([ItemRun(run.length, self._result(tensor_value(run.element), name))], dtype=value.dtype)
                require(value.items is not None, f"how many tensors {name} gives is not known")
                return Pack([self._result(tensor_value(each), name) for each in value.items or ()], dtype=value.dtype)
        return value

    # ---- arguments ---------------------------------------------------------------------------------------------------
    def argument(self, value: OnnxArgument) -> TensorValue:
        """Return an argument of an invocation."""
        match value:
            case None:
                return NULL
            case Data():
                return self.tensor(value)
            case Tensor() | Pack():
                return value
            case list() | tuple():
                return Pack([self.argument(each) for each in value])
        if isinstance(value, Integer):
            self._demand_named(value)
        return literal(value)  # type: ignore[arg-type]

    def state(self, data: Data) -> Tensor:
        """Return the variable for a constant that the graph changes in a run."""
        assert data.array is not None
        made = Tensor(data.name, type_name(data.dtype), data.shape, TensorKind.VARIABLE)
        self.arrays[made] = data.array
        self.wanted[made] = data.name
        return made

    def tensor(self, data: Data) -> Tensor:
        """Return the tensor of the new graph that a tensor of the source is."""
        if data.tensor is not None:
            return data.tensor
        if data.contents is not None:
            return self._computed(data.contents)
        assert data.array is not None
        known = self._constants.get(id(data.array))
        if known is None:
            known = self._constants[id(data.array)] = (data.array, self._constant(data))
        return known[1]

    @contextmanager
    def block(self) -> Iterator[list[GraphStep]]:
        """Add steps within to a list of their own."""
        around, self.steps = self.steps, []
        try:
            yield self.steps
        finally:
            self.steps = around

    def _computed(self, contents: Array) -> Tensor:
        if contents.ndim == 0:
            self._demand_named(contents.item())
            return literal(contents.item())
        shape, items = list(contents.shape), list(contents.reshape(-1))
        (result,) = self.run("layout.tensor", [], [], {"shape": shape, "value": items})
        assert isinstance(result, Tensor)
        return result

    def _constant(self, data: Data) -> Tensor:
        array, dtype = data.array, type_name(data.dtype)
        assert array is not None
        if array.ndim == 0:
            return literal(_plain(array[()], dtype))
        made = Tensor(data.name, dtype, data.shape, TensorKind.VARIABLE)
        if array.size and all(
            stride == 0 or extent == 1 for stride, extent in zip(array.strides, array.shape, strict=True)
        ):
            value = value_of(_plain(array.reshape(-1)[0] if array.size == 1 else array[(0,) * array.ndim], dtype))
            made = replace(made, kind=TensorKind.CONSTANT, value=value)
        elif array.ndim == 1 and 0 < array.size <= MOST_WRITTEN_ITEMS and dtype != "real":
            made = replace(made, kind=TensorKind.CONSTANT, value=value_of([_plain(each, dtype) for each in array]))
        else:
            require(dtype != "str", "constants of strings that are no scalars")
            self.arrays[made] = array
        if data.name:
            self.wanted[made] = data.name
        return made


def _plain(item: Any, dtype: str) -> float | int | bool | str:
    match dtype:
        case "real":
            return shortest(float(item)) if item.dtype.itemsize < 8 else float(item)
        case "int":
            return int(item)
        case "bool":
            return bool(item)
    return item.decode() if isinstance(item, bytes) else str(item)


def literal(value: float | int | bool | str | Integer) -> Tensor:
    """Return a number as a tensor."""
    dtype = "bool" if isinstance(value, bool | np.bool_) else "int" if isinstance(value, int | Integer) else "real"
    dtype = "str" if isinstance(value, str) else dtype
    if isinstance(value, float) and np.isnan(value):
        raise UntranslatableError("a constant that is NaN")
    return Tensor("", dtype, (), TensorKind.CONSTANT, None, value_of(value))


def value_of(value: Any) -> Value:
    """Return a Python value as one of the language."""
    match value:
        case None:
            return NULL
        case Integer() | Truth() | Pack() | str():
            return value
        case bool() | np.bool_():
            return integers.truth(bool(value))
        case int() | np.integer():
            return integers.constant(int(value))
        case float() | np.floating():
            return float(value)
    items = [value_of(each) for each in value]
    return Pack(items)
