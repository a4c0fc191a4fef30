from __future__ import annotations

from snd_analysis.base.rule import Rule

NEGATIVE_EXPONENT = Rule("negative-exponent", section="LANGUAGE")
