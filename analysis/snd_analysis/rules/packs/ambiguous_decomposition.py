from __future__ import annotations

from snd_analysis.base import Rule

AMBIGUOUS_DECOMPOSITION = Rule("ambiguous-decomposition", section="2.9")
