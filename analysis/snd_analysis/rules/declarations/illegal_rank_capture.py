from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_RANK_CAPTURE = Rule("illegal-rank-capture", section="2.6")
