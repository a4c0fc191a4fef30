from __future__ import annotations

from snd_analysis.base import Rule

EMPTY_EXTREMUM = Rule("empty-extremum", section="2.4")
