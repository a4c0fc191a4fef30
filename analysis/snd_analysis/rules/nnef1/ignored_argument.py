from __future__ import annotations

from snd_analysis.base import Rule, Severity

IGNORED_ARGUMENT = Rule("ignored-argument", section="tool", severity=Severity.WARNING)
