from __future__ import annotations

from snd_analysis.base import Rule

CARRIED_COUNT = Rule("carried-count", section="2.10.1")
