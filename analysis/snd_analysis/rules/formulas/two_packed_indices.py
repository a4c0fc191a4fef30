from __future__ import annotations

from snd_analysis.base import Rule

TWO_PACKED_INDICES = Rule("two-packed-indices", section="2.12")
