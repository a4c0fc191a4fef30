from __future__ import annotations

from snd_analysis.base import Rule

GENERIC_WITHOUT_DEFAULT = Rule("generic-without-default", section="2.13")
