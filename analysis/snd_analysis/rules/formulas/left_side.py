from __future__ import annotations

from snd_analysis.base import Rule

LEFT_SIDE = Rule("left-side", section="2.12")
