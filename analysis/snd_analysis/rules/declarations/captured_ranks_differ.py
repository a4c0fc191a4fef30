from __future__ import annotations

from snd_analysis.base import Rule

CAPTURED_RANKS_DIFFER = Rule("captured-ranks-differ", section="2.6")
