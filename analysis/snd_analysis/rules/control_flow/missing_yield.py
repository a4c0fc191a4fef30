from __future__ import annotations

from snd_analysis.base import Rule

MISSING_YIELD = Rule("missing-yield", section="2.10.1")
