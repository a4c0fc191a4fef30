from __future__ import annotations

from snd_analysis.base import Rule, Severity

NOT_FOR_ALL_SIZES = Rule("not-for-all-sizes", section="2.12", severity=Severity.WARNING)
