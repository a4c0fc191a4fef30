"""The view model of graph drawings: what there is to draw of a composed graph, and that as JSON."""

from snd_analysis.ide.graph_view.build import graph_view
from snd_analysis.ide.graph_view.content import Locate, graph_content, plain
from snd_analysis.ide.graph_view.view import BodyView, GraphView, NodeKind, NodeView, Port, TensorView

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
