"""Rules about expressions whose precedence may surprise readers (LANGUAGE, Precedence)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from snd_analysis.base import Edit, Problem, Repair, Rule, Severity, Span
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.names import Resolution
from snd_analysis.skriptnd.syntax import nodes

CHAINED_POWER = Rule("chained-power", section="LANGUAGE", severity=Severity.WARNING)
MIXED_LOGICAL_OPERATORS = Rule("mixed-logical-operators", section="LANGUAGE", severity=Severity.WARNING)

_LOGICAL = frozenset({"&&", "||", "^"})


@check_of(Resolution)
def _precedence(resolution: Resolution) -> Iterator[Problem]:
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
    """Report two powers, or two different logical operators. ``inner`` is the left operand of ``outer``."""
    first, second = inner.operator.text, outer.operator.text
    if first in _LOGICAL and second in _LOGICAL and first != second:
        rule = MIXED_LOGICAL_OPERATORS
        message = (
            f"'{first}' and '{second}' have the same precedence and are applied from left to right: add parentheses"
        )
    elif first == second == "**":
        rule = CHAINED_POWER
        message = "'**' is applied from left to right: 'a ** b ** c' means '(a ** b) ** c'; add parentheses"
    else:
        return
    span = inner.span.shifted(base)
    edits = Edit(Span(span.start, span.start), "("), Edit(Span(span.end, span.end), ")")
    yield Problem(rule, outer.operator.span.shifted(base), message, repair=Repair("add the parentheses", edits))
