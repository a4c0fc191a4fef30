from __future__ import annotations

from snd_analysis.base import Rule

PACK_RANKS_DIFFER = Rule("pack-ranks-differ", section="2.3")
