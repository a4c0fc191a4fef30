"""A file named ``main.sknd`` contains no graph (2.15)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, Span
from snd_analysis.skriptnd.names import is_main
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes

MAIN_WITHOUT_GRAPH = Rule("main-without-graph", section="2.15")


def check(path: str, tree: SyntaxTree) -> Iterator[Problem]:
    """Report a main module without a graph, unless unparsed text may be one."""
    if not is_main(path) or any(definition.kind == "graph" for _, definition in tree.definitions):
        return
    if not any(isinstance(item, nodes.ErrorItem) for placed in tree.chunks for item in placed.chunk.document.items):
        yield Problem(MAIN_WITHOUT_GRAPH, Span(0, 0), "the main module of a model must contain a graph")
