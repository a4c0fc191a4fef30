from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

MIXED_LOGICAL_OPERATORS = Rule("mixed-logical-operators", section="LANGUAGE", severity=Severity.WARNING)
