from __future__ import annotations

from snd_analysis.base import Rule

EXPANSION_WITHOUT_LENGTH = Rule("expansion-without-length", section="2.4")
