"""Errors of operations without a value."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Rule


class OperationError(Exception):
    """An operation without a value for its operands, with the operand to blame and notes about others.

    Operands are counted from 0, in the order of the operation.
    """

    def __init__(
        self, rule: Rule, message: str, operand: int | None = None, notes: tuple[tuple[int, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.operand = operand
        self.notes = notes


def too_large(what: str) -> OperationError:
    """Return why a value has no value here that the language would give it: it would take all time and memory."""
    return OperationError(rules.VALUE_TOO_LARGE, f"{what}, more than snd works with")
