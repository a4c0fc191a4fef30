"""One invocation of an operator, in the form for its counterpart in another format."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from snd_analysis.compose import Specialization
from snd_analysis.model import Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.execution.plain import plain
from snd_runtime.execution.prepared import prepared
from snd_runtime.lowering.lowered import FLOAT32
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.scope import TensorScope
from snd_server.exchange.graph_export.tensors import NUMPY, rank_of, static_shape

Scope = TypeVar("Scope", bound=TensorScope[Any])


class GraphCall(Generic[Scope]):
    """An invocation in a scope: its arguments have names there, and its results get some."""

    def __init__(self, scope: Scope, operation: Operation, callee: Specialization, outputs: list[list[str]]) -> None:
        self.scope = scope
        self.operation = operation
        self.callee = callee
        self.names = outputs
        """The names of the results: a list for the tensors of each output."""
        given = [*operation.inputs, *([NULL] * (len(callee.inputs) - len(operation.inputs)))]
        pairs = list(zip(given, callee.inputs, strict=True))
        self.inputs: list[TensorValue] = [
            formal if actual is NULL and isinstance(formal, Tensor) else actual for actual, formal in pairs
        ]
        """The arguments; defaults are there, others are null."""
        self._defaults = {at for at, (actual, formal) in enumerate(pairs) if actual is NULL and formal is not NULL}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The attributes as Python values, without attributes that are unknown before the run."""
        found = {}
        for name, value in self.callee.attributes.items():
            try:
                found[name] = plain(value)
            except ValueError:
                continue
        return found

    def __getitem__(self, attribute: str) -> Any:
        if attribute not in self.attributes:
            raise Unsuitable(f"the attribute '{attribute}' is known in the run only")
        return self.attributes[attribute]

    def knows(self, name: str) -> bool:
        """Return whether the value of a helper symbol is known."""
        try:
            self.symbol(name)
        except Unsuitable:
            return False
        return True

    def symbol(self, name: str) -> Any:
        """Return the value of a helper symbol. Raise Unsuitable if it is not known."""
        for symbol, value in self.callee.scope.values.items():
            if symbol.name == name:
                try:
                    return plain(value)
                except ValueError:
                    break
        raise Unsuitable(f"'{name}' is known in the run only")

    @property
    def dtype(self) -> str:
        """The element type of the first argument."""
        return next(tensor.dtype or "" for value in self.inputs for tensor in tensors_of(value))

    @property
    def dtypes(self) -> set[str | None]:
        """The element types of the arguments."""
        return {tensor.dtype for value in self.inputs for tensor in tensors_of(value)}

    def has(self, at: int) -> bool:
        """Return whether an argument is not null."""
        return self.inputs[at] is not NULL

    def is_default(self, at: int) -> bool:
        """Return whether an argument is left out, and has its default."""
        return at in self._defaults

    def input(self, at: int = 0) -> str:
        """Return the name of an argument that is a single tensor."""
        if not isinstance(self.inputs[at], Tensor):
            raise Unsuitable("an argument is not a single tensor")
        return self.items(at)[0]

    def items(self, at: int = 0) -> list[str]:
        """Return the names of the tensors of an argument; none for null."""
        value = self.inputs[at]
        if isinstance(value, Pack) and value.items is None:
            raise Unsuitable("the number of tensors of a pack is known in the run only")
        if self.is_default(at) and isinstance(value, Tensor) and value.value is None:
            static_shape(value)
            default = prepared(self.callee).with_defaults([], FLOAT32)[at]
            return [self.scope.array(np.asarray(default, NUMPY[value.dtype or "real"]), value.name)]
        return [self.scope.name(tensor) for tensor in tensors_of(value)]

    def stacked(self, at: int = 0) -> str | None:
        """Return the tensor that holds the tensors of a pack whose number is known in the run only; None for others."""
        value = self.inputs[at]
        if isinstance(value, Pack) and value.items is None:
            return self.scope.stack(value)
        return None

    def given(self) -> list[str]:
        """Return the names of all tensors of all arguments."""
        return [name for at in range(len(self.inputs)) for name in self.items(at)]

    def shape(self, at: int = 0) -> tuple[int, ...]:
        """Return the extents of an argument. Raise Unsuitable if they are not all known."""
        return static_shape(self.inputs[at])

    def known(self, at: int = 0) -> list[int | None]:
        """Return the extents of an argument, None for each that only the run knows."""
        value = self.inputs[at]
        rank_of(value)
        assert isinstance(value, Tensor)
        return [extent.value if isinstance(extent, Integer) else None for extent in value.shape or ()]

    def rank(self, at: int = 0) -> int:
        """Return the number of dimensions of an argument."""
        return rank_of(self.inputs[at])

    @property
    def output(self) -> Tensor:
        """The only result."""
        (value,) = self.operation.outputs
        if not isinstance(value, Tensor):
            raise Unsuitable("the result is not a single tensor")
        return value

    @property
    def target(self) -> str:
        """The name of the only result."""
        return self.names[0][0]
