from __future__ import annotations

from snd_analysis.base.rule import Rule

MAIN_WITHOUT_GRAPH = Rule("main-without-graph", section="2.15")
