from __future__ import annotations

from snd_analysis.base import Rule, Severity

PRECISION_EXCEEDED = Rule("precision-exceeded", section="tool", severity=Severity.WARNING)
"""CVM: elements have a precision of 32 bits at most."""
