from __future__ import annotations

from snd_analysis.base.rule import Rule

GRAPH_WITH_LOWER = Rule("graph-with-lower", section="2.6.1")
