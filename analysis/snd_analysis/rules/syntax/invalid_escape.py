from __future__ import annotations

from snd_analysis.base import Rule, Severity

INVALID_ESCAPE = Rule("invalid-escape", section="2.4", severity=Severity.WARNING)
