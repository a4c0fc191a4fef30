from __future__ import annotations

from snd_analysis.base import Rule

CARRIED_SHAPE = Rule("carried-shape", section="2.10.1")
