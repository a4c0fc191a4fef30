"""Rules about the blocks of a definition: which there may be, and which there must be."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Note, Problem, Rule
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

DUPLICATE_BLOCK = Rule("duplicate-block", section="LANGUAGE")
GRAPH_WITH_LOWER = Rule("graph-with-lower", section="2.6.1")
GRAPH_WITHOUT_COMPOSE = Rule("graph-without-compose", section="2.6.1")
MISSING_OUTPUT = Rule("missing-output", section="2.2")


@check_of(nodes.Definition)
def _duplicate_block(definition: nodes.Definition) -> Iterator[Problem]:
    """Report each block whose kind an earlier block has."""
    first = _first_blocks(definition)
    for block in definition.blocks:
        if isinstance(block, nodes.Block) and (earlier := first[block.kind]) is not block:
            message = f"'{definition.name.text}' has two blocks '@{block.kind}': put their entries into one"
            yield Problem(DUPLICATE_BLOCK, block.keyword, message, (Note(earlier.keyword, "the first one is here"),))


@check_of(nodes.Definition)
def _graph_with_lower(definition: nodes.Definition) -> Iterator[Problem]:
    """Report the formulas of a graph."""
    lower = _first_blocks(definition).get(BlockKind.LOWER)
    if definition.kind == "graph" and lower is not None:
        message = f"the graph '{definition.name.text}' can't have '@lower': graphs are composed of operators"
        yield Problem(GRAPH_WITH_LOWER, lower.keyword, message)


@check_of(nodes.Definition)
def _graph_without_compose(definition: nodes.Definition) -> Iterator[Problem]:
    """Report a graph without a body. One with ``@lower`` breaks another rule."""
    if definition.kind != "graph" or not definition.name.text or _has_broken_block(definition):
        return
    if not _first_blocks(definition).keys() & {BlockKind.COMPOSE, BlockKind.LOWER}:
        message = f"the graph '{definition.name.text}' has no '@compose': nothing says how its outputs are computed"
        yield Problem(GRAPH_WITHOUT_COMPOSE, definition.name.span, message)


@check_of(nodes.Definition)
def _missing_output(definition: nodes.Definition) -> Iterator[Problem]:
    """Report a definition without results, unless it works by its ``@update``."""
    if not definition.name.text or _has_broken_block(definition):
        return
    if not _first_blocks(definition).keys() & {BlockKind.OUTPUT, BlockKind.UPDATE}:
        message = f"the {definition.kind} '{definition.name.text}' has no '@output'"
        yield Problem(MISSING_OUTPUT, definition.name.span, message)


def _first_blocks(definition: nodes.Definition) -> dict[str, nodes.Block]:
    """Return the first block of each kind."""
    found: dict[str, nodes.Block] = {}
    for block in definition.blocks:
        if isinstance(block, nodes.Block):
            found.setdefault(block.kind, block)
    return found


def _has_broken_block(definition: nodes.Definition) -> bool:
    """Return whether a syntax error hides the kind of a block."""
    return any(isinstance(block, nodes.ErrorBlock) for block in definition.blocks)
