from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

UNUSED_SUPPRESSION = Rule("unused-suppression", section="tool", severity=Severity.WARNING)
