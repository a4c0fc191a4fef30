from __future__ import annotations

from snd_analysis.base import Rule

UNBOUNDED_EXTENT = Rule("unbounded-extent", section="2.6.1")
