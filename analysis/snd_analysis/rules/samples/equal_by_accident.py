from __future__ import annotations

from snd_analysis.base import Rule, Severity

EQUAL_BY_ACCIDENT = Rule("equal-by-accident", section="tool", severity=Severity.HINT)


def message(operator: str, first: str, second: str, number: int) -> str:
    """Return what is wrong with an invocation of an operator that needs two extents to be equal."""
    equal = f"'{operator}' needs '{first}' and '{second}' to be equal"
    return f"{equal}, which nothing states: both are {number} in the sample"
