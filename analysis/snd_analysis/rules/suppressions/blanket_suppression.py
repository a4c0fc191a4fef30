from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

BLANKET_SUPPRESSION = Rule("blanket-suppression", section="tool", severity=Severity.WARNING)
