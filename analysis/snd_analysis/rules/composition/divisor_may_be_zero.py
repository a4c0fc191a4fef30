from __future__ import annotations

from snd_analysis.base import Rule, Severity

DIVISOR_MAY_BE_ZERO = Rule("divisor-may-be-zero", section="2.4", severity=Severity.WARNING)
