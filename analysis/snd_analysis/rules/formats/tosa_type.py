from __future__ import annotations

from snd_analysis.base import Rule, Severity

TOSA_TYPE = Rule("tosa-type", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T2, T3 and T5 to T9."""
