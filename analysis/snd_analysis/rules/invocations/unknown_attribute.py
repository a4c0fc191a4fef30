from __future__ import annotations

from snd_analysis.base import Rule

UNKNOWN_ATTRIBUTE = Rule("unknown-attribute", section="2.10")
