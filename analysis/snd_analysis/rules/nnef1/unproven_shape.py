from __future__ import annotations

from snd_analysis.base import Rule, Severity

UNPROVEN_SHAPE = Rule("unproven-shape", section="tool", severity=Severity.WARNING)
