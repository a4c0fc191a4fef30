from __future__ import annotations

from snd_analysis.base.rule import Rule, Severity

UNUSED_IMPORT = Rule("unused-import", section="tool", severity=Severity.HINT)
