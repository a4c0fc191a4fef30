"""Rules of the formats TOSA 0.30 (with the numbers of its rules) and CVM."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

POSSIBLE_OVERFLOW = Rule("possible-overflow", section="tool", severity=Severity.WARNING)
"""T35 to T37: a sum beyond its type has no meaning."""
PRECISION_EXCEEDED = Rule("precision-exceeded", section="tool", severity=Severity.WARNING)
"""CVM: elements have a precision of 32 bits at most."""
TOSA_CONSTANT = Rule("tosa-constant", section="tool", severity=Severity.WARNING)
"""T4."""
TOSA_OPERATOR = Rule("tosa-operator", section="tool", severity=Severity.WARNING)
"""T1 and T10."""
TOSA_SCALE = Rule("tosa-scale", section="tool", severity=Severity.WARNING)
"""T29."""
TOSA_SHAPE = Rule("tosa-shape", section="tool", severity=Severity.WARNING)
"""T11 and T12."""
TOSA_TYPE = Rule("tosa-type", section="tool", severity=Severity.WARNING)
"""T2, T3 and T5 to T9."""
UNPREDICTABLE_RESULT = Rule("unpredictable-result", section="tool", severity=Severity.WARNING)
"""T27, T33, T34 and T38: conditions on constants."""
