from __future__ import annotations

from snd_analysis.base import Rule

PACK_NOT_EXPANDED = Rule("pack-not-expanded", section="2.4")
