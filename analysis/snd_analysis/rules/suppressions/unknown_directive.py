from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

UNKNOWN_DIRECTIVE = Rule("unknown-directive", section="tool", severity=Severity.WARNING)
