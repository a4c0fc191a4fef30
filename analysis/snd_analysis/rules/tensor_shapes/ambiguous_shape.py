from __future__ import annotations

from snd_analysis.base import Rule

AMBIGUOUS_SHAPE = Rule("ambiguous-shape", section="2.6.2")
