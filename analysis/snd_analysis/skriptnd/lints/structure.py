"""Checks of a definition's blocks: which there may be, and which there must be (2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base.problem import Note, Problem
from snd_analysis.skriptnd.syntax import nodes


def check_structure(definition: nodes.Definition) -> Iterator[Problem]:
    """Blocks given twice, blocks that exclude each other, blocks that a graph must or must not have."""
    seen: dict[str, nodes.Block] = {}
    for block in definition.blocks:
        if not isinstance(block, nodes.Block):
            continue
        earlier = seen.setdefault(block.kind, block)
        if earlier is not block:
            message = f"'{definition.name.text}' has two blocks '@{block.kind}': put their entries into one"
            yield Problem(
                rules.DUPLICATE_BLOCK, block.keyword, message, (Note(earlier.keyword, "the first one is here"),)
            )
    broken = any(isinstance(block, nodes.ErrorBlock) for block in definition.blocks)
    if "lower" in seen and "compose" in seen:
        message = f"'{definition.name.text}' has both '@lower' and '@compose': one of them says how it is computed"
        notes = tuple(Note(seen[kind].keyword, f"'@{kind}' is here") for kind in ("lower", "compose"))
        yield Problem(rules.LOWER_AND_COMPOSE, definition.name.span, message, notes)
    if definition.kind == "graph" and "lower" in seen:
        message = f"the graph '{definition.name.text}' can't have '@lower': graphs are composed of operators"
        yield Problem(rules.GRAPH_WITH_LOWER, seen["lower"].keyword, message)
    elif definition.kind == "graph" and "compose" not in seen and not broken and definition.name.text:
        message = f"the graph '{definition.name.text}' has no '@compose': nothing says how its outputs are computed"
        yield Problem(rules.GRAPH_WITHOUT_COMPOSE, definition.name.span, message)
    if "output" not in seen and not broken and definition.name.text and "update" not in seen:
        message = f"the {definition.kind} '{definition.name.text}' has no '@output'"
        yield Problem(rules.MISSING_OUTPUT, definition.name.span, message)
