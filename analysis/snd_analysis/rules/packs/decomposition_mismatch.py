from __future__ import annotations

from snd_analysis.base.rule import Rule

DECOMPOSITION_MISMATCH = Rule("decomposition-mismatch", section="2.9")
