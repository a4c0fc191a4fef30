from __future__ import annotations

from snd_analysis.base import Rule

ACCESS_OUT_OF_RANGE = Rule("access-out-of-range", section="2.12")
