"""A variable is declared and never used."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

# ``unused_symbol`` finds it: the two rules differ in the kind of the symbol and in severity.
UNUSED_VARIABLE = Rule("unused-variable", section="tool", severity=Severity.WARNING)
