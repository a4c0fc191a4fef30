from __future__ import annotations

from snd_analysis.base import Rule

NEGATIVE_EXTENT = Rule("negative-extent", section="2.6")
