from __future__ import annotations

from snd_analysis.base.rule import Rule

MISPLACED_HEADER = Rule("misplaced-header", section="2.16")
