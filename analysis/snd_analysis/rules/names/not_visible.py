from __future__ import annotations

from snd_analysis.base import Rule

NOT_VISIBLE = Rule("not-visible", section="2.2")
