from __future__ import annotations

from snd_analysis.base.rule import Rule

GRAPH_WITHOUT_COMPOSE = Rule("graph-without-compose", section="2.6.1")
