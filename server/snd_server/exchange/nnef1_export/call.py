"""One invocation of an operator, in the form for its counterpart in NNEF 1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snd_analysis.model import Tensor, tensors_of
from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.graph_export.errors import Unsuitable
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
