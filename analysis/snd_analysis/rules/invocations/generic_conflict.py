from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_CONFLICT = Rule("generic-conflict", section="2.13")
