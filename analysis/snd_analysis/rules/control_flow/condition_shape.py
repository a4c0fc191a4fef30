from __future__ import annotations

from snd_analysis.base import Rule

CONDITION_SHAPE = Rule("condition-shape", section="2.10.1")
