from __future__ import annotations

from snd_analysis.base import Rule, Severity

TOSA_OPERATOR = Rule("tosa-operator", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T1 and T10."""
