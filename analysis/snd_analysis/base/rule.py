"""Rules and their severities. Every package refers to a rule by its object."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Severity(StrEnum):
    """How much a diagnostic matters; only errors make a program invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Rule(Struct, frozen=True, eq=False):
    """One rule. Its page, a Markdown file with the description and the examples, stands beside its declaration.

    ``name`` never changes: configurations and suppression comments contain it. ``section`` is the section of the
    NNEF 2.0 draft that the rule enforces; ``LANGUAGE`` stands for ``docs/language.md``, ``tool`` for a rule of snd.
    Two rules are equal if their names are, so that a rule that comes from another process equals the declared one.
    """

    name: str
    section: str
    severity: Severity = Severity.ERROR

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)
