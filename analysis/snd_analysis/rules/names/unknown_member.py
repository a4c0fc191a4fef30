from __future__ import annotations

from snd_analysis.base import Rule

UNKNOWN_MEMBER = Rule("unknown-member", section="2.4")
