"""Errors of expressions without a value."""

from __future__ import annotations

from snd_analysis.base import Rule
from snd_analysis.skriptnd.syntax import nodes


class EvaluationError(Exception):
    """An expression that has no value: where, by which rule and why; ``notes`` explain parts of it."""

    def __init__(
        self, node: nodes.Node, rule: Rule, message: str, notes: tuple[tuple[nodes.Node, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.node = node
        self.rule = rule
        self.message = message
        self.notes = notes


class Unresolved(LookupError):  # noqa: N818
    """A name without a known value: reported elsewhere, silent here."""
