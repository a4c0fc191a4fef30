"""A variable is declared and never used."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

# ``unused_symbol`` finds it: the two differ in what the symbol is, and in how grave that is.
UNUSED_VARIABLE = Rule("unused-variable", section="tool", severity=Severity.WARNING)
