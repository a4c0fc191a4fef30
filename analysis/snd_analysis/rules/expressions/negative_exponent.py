from __future__ import annotations

from snd_analysis.base import Rule

NEGATIVE_EXPONENT = Rule("negative-exponent", section="LANGUAGE")
MESSAGE = "an int can't be raised to a negative power"
