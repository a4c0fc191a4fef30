"""One invocation of an operator, in the form for its ONNX counterpart."""

from __future__ import annotations

from typing import Any

from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.onnx_export.scope import NodeScope


class ScopedCall(GraphCall[NodeScope]):
    """An invocation in a scope of nodes."""

    def vector(self, attribute: str) -> str:
        """Return the name of a vector with the ints of an attribute; nodes compute values that only the run knows."""
        value = self.callee.attributes.get(attribute)
        if attribute in self.attributes or not isinstance(value, Pack) or value.items is None:
            return self.scope.constant(self[attribute])
        return self.scope.extents(value.items)

    def write(self, kind: str, inputs: list[str], **attributes: Any) -> None:
        """Add the node that gives the only result."""
        self.scope.node(kind, inputs, self.target, **attributes)
