from __future__ import annotations

from snd_analysis.base import Rule

ZERO_STEP = Rule("zero-step", section="2.4")
MESSAGE = "the step of a range can't be 0"
