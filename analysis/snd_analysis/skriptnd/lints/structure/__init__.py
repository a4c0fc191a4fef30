"""Rules about the blocks of a definition: which there may be, and which there must be."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem
from snd_analysis.skriptnd.lints.structure import (
    duplicate_block,
    graph_with_lower,
    graph_without_compose,
    missing_output,
)
from snd_analysis.skriptnd.syntax import nodes

_RULES = (duplicate_block, graph_with_lower, graph_without_compose, missing_output)


def check_structure(definition: nodes.Definition) -> Iterator[Problem]:
    """Report forbidden and missing blocks of a definition. Spans count from its chunk."""
    for rule in _RULES:
        yield from rule.check(definition)
