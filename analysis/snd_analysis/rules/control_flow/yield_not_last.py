from __future__ import annotations

from snd_analysis.base import Rule

YIELD_NOT_LAST = Rule("yield-not-last", section="2.10.1")
