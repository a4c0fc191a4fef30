"""Rules about expressions whose precedence may surprise readers (LANGUAGE, Precedence)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from snd_analysis.base import Problem
from snd_analysis.skriptnd.lints.precedence import chained_power, mixed_logical_operators
from snd_analysis.skriptnd.names import Resolution
from snd_analysis.skriptnd.syntax import nodes


def check_precedence(resolution: Resolution) -> Iterator[Problem]:
    """Report the chains of operators in a definition that need parentheses. Spans count from its chunk."""
    for block in resolution.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind not in resolution.rows:
            for entry in block.entries:
                part = resolution.parts.get(entry.statement)
                chains = part.chains if part is not None else _chains(entry.statement)
                for outer, inner in chains:
                    yield from _check_chain(entry.start, outer, inner)
    for row in chain.from_iterable(resolution.rows.values()):
        for part in row.single if row.chains else ():
            for outer, inner in part.chains:
                yield from _check_chain(resolution.starts[part.node], outer, inner)


def _chains(statement: nodes.Node) -> Iterator[tuple[nodes.Binary, nodes.Binary]]:
    for node in nodes.descendants(statement):
        if isinstance(node, nodes.Binary) and isinstance(node.left, nodes.Binary):
            yield node, node.left


def _check_chain(base: int, outer: nodes.Binary, inner: nodes.Binary) -> Iterator[Problem]:
    yield from mixed_logical_operators.check(base, outer, inner)
    yield from chained_power.check(base, outer, inner)
