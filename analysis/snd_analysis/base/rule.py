"""Rules and their severities. Every package refers to a rule by its object."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Severity(StrEnum):
    """Importance of a diagnostic; only errors make a program invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Rule(Struct, frozen=True, eq=False):
    """One rule. Its page, a Markdown file with the description and the examples, stands beside its declaration.

    ``name`` never changes: configurations and suppression comments contain it. ``section`` is the section of the NNEF
    2.0 draft that the rule enforces; ``LANGUAGE`` means ``docs/language.md``, ``tool`` a rule of snd. Two rules are
    equal if their names are, so that a rule that comes from another process equals the declared one.
    """

    name: str
    section: str
    severity: Severity = Severity.ERROR

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)
