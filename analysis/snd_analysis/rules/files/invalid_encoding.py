from __future__ import annotations

from snd_analysis.base import Rule

INVALID_ENCODING = Rule("invalid-encoding", section="tool")
