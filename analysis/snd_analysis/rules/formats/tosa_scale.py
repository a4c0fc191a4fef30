from __future__ import annotations

from snd_analysis.base import Rule, Severity

TOSA_SCALE = Rule("tosa-scale", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T29."""
