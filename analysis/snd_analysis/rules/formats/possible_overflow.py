from __future__ import annotations

from snd_analysis.base import Rule, Severity

POSSIBLE_OVERFLOW = Rule("possible-overflow", section="tool", severity=Severity.WARNING)
"""TOSA 0.30, T35 to T37: a sum beyond its type has no meaning."""
