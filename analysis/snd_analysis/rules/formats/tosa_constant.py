from __future__ import annotations

from snd_analysis.base import Rule, Severity

TOSA_CONSTANT = Rule("tosa-constant", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T4."""
