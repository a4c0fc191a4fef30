from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_BOUND = Rule("illegal-bound", section="2.6.1")
