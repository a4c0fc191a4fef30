"""The view model of graph drawings: the drawn parts of a composed graph, and their JSON."""

from snd_analysis.ide.graph_view.build import graph_view
from snd_analysis.ide.graph_view.view import (
    BodyView,
    GraphView,
    Locate,
    NodeKind,
    NodeView,
    Port,
    TensorView,
    graph_content,
    plain,
)

__all__ = [
    "BodyView",
    "GraphView",
    "Locate",
    "NodeKind",
    "NodeView",
    "Port",
    "TensorView",
    "graph_content",
    "graph_view",
    "plain",
]
