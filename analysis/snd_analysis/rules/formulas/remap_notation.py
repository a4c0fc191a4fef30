from __future__ import annotations

from snd_analysis.base import Rule

REMAP_NOTATION = Rule("remap-notation", section="2.12")
