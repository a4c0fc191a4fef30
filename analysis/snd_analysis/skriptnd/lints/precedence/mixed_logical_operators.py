"""A chain mixes ``&&``, ``||`` and ``^`` without parentheses (LANGUAGE)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, Severity
from snd_analysis.skriptnd.lints.parentheses import parenthesized
from snd_analysis.skriptnd.syntax import nodes

MIXED_LOGICAL_OPERATORS = Rule("mixed-logical-operators", section="LANGUAGE", severity=Severity.WARNING)

_LOGICAL = frozenset({"&&", "||", "^"})


def check(base: int, outer: nodes.Binary, inner: nodes.Binary) -> Iterator[Problem]:
    """Report two different logical operators of a chain. ``inner`` is the left operand of ``outer``."""
    first, second = inner.operator.text, outer.operator.text
    if first in _LOGICAL and second in _LOGICAL and first != second:
        message = (
            f"'{first}' and '{second}' have the same precedence and are applied from left to right: add parentheses"
        )
        repair = parenthesized(inner.span.shifted(base))
        yield Problem(MIXED_LOGICAL_OPERATORS, outer.operator.span.shifted(base), message, repair=repair)
