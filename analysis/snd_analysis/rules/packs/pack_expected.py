from __future__ import annotations

from snd_analysis.base import Rule

PACK_EXPECTED = Rule("pack-expected", section="2.4")
