"""Exceptions that stop the elaboration of a formula."""

from __future__ import annotations

from snd_analysis.base import Rule
from snd_analysis.compose.formulas.terms import Slot
from snd_analysis.model import Place
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes

LIMIT_EXCEEDED = Rule("limit-exceeded", section="tool")
UNKNOWN_VALUE = Rule("unknown-value", section="tool")


class FormulaFailed(Exception):  # noqa: N818
    """A formula that has no meaning for these shapes: by which rule, why, and where."""

    def __init__(self, rule: Rule, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.place = place


class OutOfBoundsError(EvaluationError):
    """An index that is out of bounds: the tensor, and the dimension that has no such index."""

    def __init__(self, node: nodes.Node, rule: Rule, message: str, slot: Slot, dimension: int) -> None:
        super().__init__(node, rule, message)
        self.slot = slot
        self.dimension = dimension
