from __future__ import annotations

from snd_analysis.base import Rule

DUPLICATE_ATTRIBUTE = Rule("duplicate-attribute", section="2.10")
