from __future__ import annotations

from snd_analysis.base import Rule

FOLD_OF_ACCESS = Rule("fold-of-access", section="2.12")

_WHERE = "a fold over elements of a tensor"


def as_contraction(operator: str) -> str:
    """Return the message for a fold that is the right side of a formula, to be accumulated by ``operator``."""
    return f"{_WHERE} is written as a contraction, such as 'y[i,] {operator} x[i, j], i < n, j < m'"


def within_expression() -> str:
    """Return the message for a fold inside the right side of a formula."""
    return f"{_WHERE} needs a name here: write 'with t = x[i,:] + ..: y[i,] = …'"
