from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

UNUSED_SYMBOL = Rule("unused-symbol", section="tool", severity=Severity.HINT)
