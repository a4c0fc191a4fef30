from __future__ import annotations

from snd_analysis.base.rule import Rule

PACK_RANKS_DIFFER = Rule("pack-ranks-differ", section="2.3")
