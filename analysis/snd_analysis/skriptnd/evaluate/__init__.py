"""The value of an expression in an environment, as far as it is known there (2.4)."""

from snd_analysis.skriptnd.evaluate.expressions import evaluate
from snd_analysis.skriptnd.evaluate.lifting import Environment, EvaluationError, Unresolved

__all__ = [
    "Environment",
    "EvaluationError",
    "Unresolved",
    "evaluate",
]
