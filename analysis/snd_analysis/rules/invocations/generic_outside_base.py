from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_OUTSIDE_BASE = Rule("generic-outside-base", section="2.13")
