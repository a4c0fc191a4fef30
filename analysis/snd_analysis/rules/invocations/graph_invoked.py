from __future__ import annotations

from snd_analysis.base import Rule

GRAPH_INVOKED = Rule("graph-invoked", section="2.10")
