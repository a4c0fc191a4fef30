"""What a rule is: a name that never changes, a severity, and the page that explains it."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base.diagnostics import Severity


class Rule(Struct, frozen=True):
    """Declaration of one rule.

    ``bad`` and ``good`` are whole SkriptND files: the first triggers this rule and no other, the second nothing.
    Where it takes several files, a line ``# file: NAME`` begins each; otherwise the example is a main module if it
    holds a graph, and a module of operators if not.
    ``section`` is the section of the NNEF 2.0 draft (or ``LANGUAGE``/``tool``) that the rule keeps.
    """

    name: str
    summary: str
    """One sentence: what is reported."""
    why: str
    """Why it is a mistake, in our own words."""
    bad: str
    good: str
    section: str
    severity: Severity = Severity.ERROR
