from __future__ import annotations

from snd_analysis.base import Rule, Severity

UNPREDICTABLE_RESULT = Rule("unpredictable-result", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T27, T33, T34, T38: conditions on constants."""
