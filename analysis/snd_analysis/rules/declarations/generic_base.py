from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_BASE = Rule("generic-base", section="2.13")
