from __future__ import annotations

from snd_analysis.base import Rule

MISSING_SHAPE = Rule("missing-shape", section="2.6")
