from __future__ import annotations

from snd_analysis.base import Rule

CAST_TYPE = Rule("cast-type", section="2.4")
