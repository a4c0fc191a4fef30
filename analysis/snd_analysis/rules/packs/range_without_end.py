from __future__ import annotations

from snd_analysis.base import Rule

RANGE_WITHOUT_END = Rule("range-without-end", section="2.4")
