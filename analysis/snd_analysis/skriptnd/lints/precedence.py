"""Rules about expressions whose precedence may surprise readers (LANGUAGE, Precedence)."""

from __future__ import annotations

from collections.abc import Iterator

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
    for base, node in resolution.nodes_of(nodes.Binary):
        if isinstance(node.left, nodes.Binary):
            yield from _check_chain(base, node, node.left)


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
