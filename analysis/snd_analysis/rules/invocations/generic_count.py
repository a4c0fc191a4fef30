from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_COUNT = Rule("generic-count", section="2.13")
