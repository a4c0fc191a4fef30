"""One invocation of an operator, in the form for its counterpart in NNEF 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import is_static
from snd_server.exchange.nnef1_export.literals import Expression, written_extent
from snd_server.exchange.nnef1_export.scope import TextScope


class OperationCall(GraphCall[TextScope]):
    """An invocation in a scope of statements."""

    @property
    def is_tract(self) -> bool:
        """Return whether tract is to read the text."""
        return self.scope.is_tract

    def write(self, operation: str, inputs: Sequence[str], /, **attributes: Any) -> None:
        """Add the statement that gives the only result."""
        self.scope.node(operation, inputs, self.target, **attributes)

    def items(self, at: int = 0) -> list[str]:
        """Return the names of the tensors of an argument; a default of unknown extents is repeated."""
        value = self.inputs[at]
        default = self.callee.template.inputs[at].node.default
        if not self.is_default(at) or not isinstance(value, Tensor) or value.value is not None or is_static(value):
            return super().items(at)
        number = None if default is None else self.callee.scope.attempt(default.value)
        if not isinstance(number, float):
            raise Unsuitable(f"the default of '{value.name}' is known in the run only")
        self.demand_tract("tensor of extents that are no numbers")
        numbers = [each for each in value.shape or () if isinstance(each, Integer)]
        shape = [Expression(written_extent(each, self.scope.dialect)) for each in numbers]
        one = self.scope.constant(np.full([1] * len(shape), number), np.float32)
        return [self.scope.node("tract_core_broadcast", [one], shape=shape)]

    def tensors(self, at: int = 0) -> list[Tensor]:
        """Return the tensors of an argument."""
        return [*tensors_of(self.inputs[at])]

    def alias(self, name: str) -> None:
        """Let the only result be what has another name, or a literal."""
        self.names[0][0] = name

    def demand_tract(self, form: str) -> None:
        """Raise Unsuitable unless tract is to read the text."""
        if not self.is_tract:
            raise Unsuitable(f"Khronos' dialect has no {form}")

    def axis(self, name: str = "axis", at: int = 0) -> int:
        """Return an attribute that is an axis, counted from the first dimension of an argument."""
        found: int = self[name]
        return found + self.rank(at) if found < 0 else found

    def axes(self, name: str = "axes", at: int = 0) -> list[int]:
        """Return an attribute that lists axes, counted from the first dimension of an argument."""
        rank = self.rank(at)
        return [axis + rank if axis < 0 else axis for axis in self[name]]
