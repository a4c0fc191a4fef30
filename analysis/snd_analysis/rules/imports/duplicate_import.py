from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

DUPLICATE_IMPORT = Rule("duplicate-import", section="2.15", severity=Severity.WARNING)
