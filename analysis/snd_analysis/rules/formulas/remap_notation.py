from __future__ import annotations

from snd_analysis.base.rule import Rule

REMAP_NOTATION = Rule("remap-notation", section="2.12")
