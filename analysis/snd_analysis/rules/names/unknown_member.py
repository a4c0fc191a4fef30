from __future__ import annotations

from snd_analysis.base.rule import Rule

UNKNOWN_MEMBER = Rule("unknown-member", section="2.4")
