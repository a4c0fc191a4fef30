"""Exceptions that stop the elaboration of a formula."""

from __future__ import annotations

from snd_analysis.base import Rule
from snd_analysis.model import Place

LIMIT_EXCEEDED = Rule("limit-exceeded", section="tool")
UNKNOWN_VALUE = Rule("unknown-value", section="tool")


class FormulaFailed(Exception):  # noqa: N818
    """A formula that has no meaning for these shapes: by which rule, why, and where."""

    def __init__(self, rule: Rule, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.place = place
