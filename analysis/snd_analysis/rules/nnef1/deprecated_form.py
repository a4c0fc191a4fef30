from __future__ import annotations

from snd_analysis.base import Rule, Severity

DEPRECATED_FORM = Rule("deprecated-form", section="NNEF 1.0, 3.3", severity=Severity.WARNING)
