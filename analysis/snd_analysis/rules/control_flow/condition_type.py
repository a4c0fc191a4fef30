from __future__ import annotations

from snd_analysis.base import Rule

CONDITION_TYPE = Rule("condition-type", section="2.10.1")
