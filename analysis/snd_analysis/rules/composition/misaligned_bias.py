from __future__ import annotations

from snd_analysis.base import Rule, Severity

MISALIGNED_BIAS = Rule("misaligned-bias", section="tool", severity=Severity.WARNING)
