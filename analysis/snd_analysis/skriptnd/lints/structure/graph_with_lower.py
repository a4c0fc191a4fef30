"""A graph has a block ``@lower`` (2.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.skriptnd.lints.blocks import first_blocks
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

GRAPH_WITH_LOWER = Rule("graph-with-lower", section="2.6.1")


def check(definition: nodes.Definition) -> Iterator[Problem]:
    """Report the formulas of a graph."""
    lower = first_blocks(definition).get(BlockKind.LOWER)
    if definition.kind == "graph" and lower is not None:
        message = f"the graph '{definition.name.text}' can't have '@lower': graphs are composed of operators"
        yield Problem(GRAPH_WITH_LOWER, lower.keyword, message)
