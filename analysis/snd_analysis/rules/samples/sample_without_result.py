from __future__ import annotations

from snd_analysis.base import Rule, Severity

SAMPLE_WITHOUT_RESULT = Rule("sample-without-result", section="tool", severity=Severity.WARNING)
