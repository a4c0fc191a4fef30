from __future__ import annotations

from snd_analysis.base import Rule

DECOMPOSITION_MISMATCH = Rule("decomposition-mismatch", section="2.9")
