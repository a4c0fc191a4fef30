from __future__ import annotations

from snd_analysis.base.rule import Rule

LOWER_AND_COMPOSE = Rule("lower-and-compose", section="2.2")
