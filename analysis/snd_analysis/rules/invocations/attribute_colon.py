from __future__ import annotations

from snd_analysis.base import Rule

ATTRIBUTE_COLON = Rule("attribute-colon", section="2.10")
