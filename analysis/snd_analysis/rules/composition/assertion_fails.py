from __future__ import annotations

from snd_analysis.base import Rule

ASSERTION_FAILS = Rule("assertion-fails", section="2.8")
