from __future__ import annotations

from snd_analysis.base import Rule

ACCESS_OUTSIDE_LOWER = Rule("access-outside-lower", section="2.4")
