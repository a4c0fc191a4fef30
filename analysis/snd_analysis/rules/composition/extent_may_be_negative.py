from __future__ import annotations

from snd_analysis.base import Rule, Severity

EXTENT_MAY_BE_NEGATIVE = Rule("extent-may-be-negative", section="2.6.1", severity=Severity.WARNING)
