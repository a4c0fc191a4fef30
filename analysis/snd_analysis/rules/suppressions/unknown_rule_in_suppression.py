from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

UNKNOWN_RULE_IN_SUPPRESSION = Rule("unknown-rule-in-suppression", section="tool", severity=Severity.WARNING)
