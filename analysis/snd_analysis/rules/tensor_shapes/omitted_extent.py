from __future__ import annotations

from snd_analysis.base import Rule

OMITTED_EXTENT = Rule("omitted-extent", section="2.6.1")
