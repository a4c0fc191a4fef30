from __future__ import annotations

from snd_analysis.base.rule import Rule

NOT_VISIBLE = Rule("not-visible", section="2.2")
