from __future__ import annotations

from snd_analysis.base import Rule

CARRIED_TYPE = Rule("carried-type", section="2.10.1")
