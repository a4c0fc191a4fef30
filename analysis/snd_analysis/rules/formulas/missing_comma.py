from __future__ import annotations

from snd_analysis.base import Rule

MISSING_COMMA = Rule("missing-comma", section="2.4")
