from __future__ import annotations

from snd_analysis.base import Rule

NOT_INDEXABLE = Rule("not-indexable", section="2.4")
