from __future__ import annotations

from snd_analysis.base import Rule, Severity

BAKED_EXTENT = Rule("baked-extent", section="tool", severity=Severity.WARNING)
