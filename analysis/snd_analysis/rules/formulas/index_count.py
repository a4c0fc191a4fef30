from __future__ import annotations

from snd_analysis.base.rule import Rule

INDEX_COUNT = Rule("index-count", section="2.4")
