from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

CHAINED_POWER = Rule("chained-power", section="LANGUAGE", severity=Severity.WARNING)
