from __future__ import annotations

from snd_analysis.base import Rule

INVALID_LABEL = Rule("invalid-label", section="NNEF 1.0, 4.2")
