from __future__ import annotations

from snd_analysis.base import Rule

ITEM_EXTENT = Rule("item-extent", section="2.6")
