from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

SHADOWED_MODULE = Rule("shadowed-module", section="LANGUAGE", severity=Severity.WARNING)
