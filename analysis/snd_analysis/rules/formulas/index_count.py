from __future__ import annotations

from snd_analysis.base import Rule

INDEX_COUNT = Rule("index-count", section="2.4")
