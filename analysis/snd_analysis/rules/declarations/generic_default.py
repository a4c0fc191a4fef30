from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_DEFAULT = Rule("generic-default", section="2.13")
