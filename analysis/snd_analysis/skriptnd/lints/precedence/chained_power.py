"""Powers of powers are written without parentheses (LANGUAGE)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, Severity
from snd_analysis.skriptnd.lints.parentheses import parenthesized
from snd_analysis.skriptnd.syntax import nodes

CHAINED_POWER = Rule("chained-power", section="LANGUAGE", severity=Severity.WARNING)


def check(base: int, outer: nodes.Binary, inner: nodes.Binary) -> Iterator[Problem]:
    """Report a chain of two powers. ``inner`` is the left operand of ``outer``."""
    if inner.operator.text == outer.operator.text == "**":
        message = "'**' is applied from left to right: 'a ** b ** c' means '(a ** b) ** c'; add parentheses"
        repair = parenthesized(inner.span.shifted(base))
        yield Problem(CHAINED_POWER, outer.operator.span.shifted(base), message, repair=repair)
