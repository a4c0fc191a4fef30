from __future__ import annotations

from snd_analysis.base import Rule

BOUNDED_OUTSIDE_INDEX = Rule("bounded-outside-index", section="2.12")
