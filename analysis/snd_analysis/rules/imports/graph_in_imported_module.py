from __future__ import annotations

from snd_analysis.base.rule import Rule

GRAPH_IN_IMPORTED_MODULE = Rule("graph-in-imported-module", section="2.15")
