from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_NOT_DEDUCIBLE = Rule("generic-not-deducible", section="2.13")
