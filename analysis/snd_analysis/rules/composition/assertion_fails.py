from __future__ import annotations

from snd_analysis.base.rule import Rule

ASSERTION_FAILS = Rule("assertion-fails", section="2.8")
