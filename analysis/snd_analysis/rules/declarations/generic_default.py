from __future__ import annotations

from snd_analysis.base.rule import Rule

GENERIC_DEFAULT = Rule("generic-default", section="2.13")
