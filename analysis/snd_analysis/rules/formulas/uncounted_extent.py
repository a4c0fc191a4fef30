from __future__ import annotations

from snd_analysis.base import Rule

UNCOUNTED_EXTENT = Rule("uncounted-extent", section="2.12")
