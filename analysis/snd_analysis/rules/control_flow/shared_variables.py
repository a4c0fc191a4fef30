from __future__ import annotations

from snd_analysis.base import Rule, Severity

SHARED_VARIABLES = Rule("shared-variables", section="2.10.1", severity=Severity.WARNING)
