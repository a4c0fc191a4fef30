from __future__ import annotations

from snd_analysis.base import Rule

DUPLICATE_LABEL = Rule("duplicate-label", section="2.10")
