"""Warnings where the precedence of SkriptND is not what readers expect (LANGUAGE, Precedence)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from snd_analysis import rules
from snd_analysis.base.problem import Problem, Repair
from snd_analysis.base.text import Edit, Span
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.syntax import nodes

_LOGICAL = frozenset({"&&", "||", "^"})


def check_precedence(resolution: Resolution) -> Iterator[Problem]:
    """Chains that mix ``&&``, ``||`` and ``^``, and chains of powers, without parentheses."""
    for block in resolution.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind not in resolution.rows:
            for entry in block.entries:
                part = resolution.parts.get(entry.statement)
                chains = part.chains if part is not None else _chains(entry.statement)
                for outer, inner in chains:
                    yield from _check(entry.start, outer, inner)
    for row in chain.from_iterable(resolution.rows.values()):
        for part in row.single if row.chains else ():
            for outer, inner in part.chains:
                yield from _check(resolution.starts[part.node], outer, inner)


def _chains(statement: nodes.Node) -> Iterator[tuple[nodes.Binary, nodes.Binary]]:
    for node in nodes.descendants(statement):
        if isinstance(node, nodes.Binary) and isinstance(node.left, nodes.Binary):
            yield node, node.left


def _check(base: int, outer: nodes.Binary, inner: nodes.Binary) -> Iterator[Problem]:
    first, second = inner.operator.text, outer.operator.text
    if second in _LOGICAL and first in _LOGICAL and first != second:
        rule = rules.MIXED_LOGICAL_OPERATORS
        message = (
            f"'{first}' and '{second}' have the same precedence and go from left to right: "
            "parentheses say what is meant"
        )
    elif first == second == "**":
        rule = rules.CHAINED_POWER
        message = "'**' goes from left to right: 'a ** b ** c' is '(a ** b) ** c'; parentheses say what is meant"
    else:
        return
    span = inner.span.shifted(base)
    edits = (Edit(Span(span.start, span.start), "("), Edit(Span(span.end, span.end), ")"))
    yield Problem(rule, outer.operator.span.shifted(base), message, repair=Repair("add the parentheses", edits))
