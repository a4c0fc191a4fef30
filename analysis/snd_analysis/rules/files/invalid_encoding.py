from __future__ import annotations

from snd_analysis.base.rule import Rule

INVALID_ENCODING = Rule("invalid-encoding", section="tool")
