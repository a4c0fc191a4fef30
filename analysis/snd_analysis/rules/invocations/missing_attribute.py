from __future__ import annotations

from snd_analysis.base import Rule

MISSING_ATTRIBUTE = Rule("missing-attribute", section="2.10")
