from __future__ import annotations

from snd_analysis.base import Rule, Severity

TOSA_SHAPE = Rule("tosa-shape", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T11 and T12."""
