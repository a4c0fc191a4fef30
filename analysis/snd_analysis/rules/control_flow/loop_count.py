from __future__ import annotations

from snd_analysis.base import Rule

LOOP_COUNT = Rule("loop-count", section="2.10.1")
