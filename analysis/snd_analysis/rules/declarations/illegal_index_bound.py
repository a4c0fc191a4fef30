from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_INDEX_BOUND = Rule("illegal-index-bound", section="2.7")
