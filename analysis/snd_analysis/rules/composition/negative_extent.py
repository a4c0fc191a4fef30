from __future__ import annotations

from snd_analysis.base.rule import Rule

NEGATIVE_EXTENT = Rule("negative-extent", section="2.6")
