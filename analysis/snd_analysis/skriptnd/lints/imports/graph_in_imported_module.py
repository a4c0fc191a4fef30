"""A module that is imported contains a graph (2.15)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Elsewhere, Note, Problem, Rule, Span
from snd_analysis.skriptnd.lints.imported_names import ImportedName

GRAPH_IN_IMPORTED_MODULE = Rule("graph-in-imported-module", section="2.15")


def check(item: ImportedName) -> Iterator[Problem]:
    """Report an import of a module with graphs."""
    if item.graphs:
        assert item.path is not None
        notes = tuple(
            Note(Span(0, 0), f"the graph '{graph}' is here", Elsewhere(item.path, graph)) for graph in item.graphs
        )
        message = (
            f"the module '{item.node.text}' contains the graph '{item.graphs[0]}': "
            "only the main module may contain graphs"
        )
        yield Problem(GRAPH_IN_IMPORTED_MODULE, item.span, message, notes)
