from __future__ import annotations

from snd_analysis.base import Rule

EXTENT_NOT_EXPANDED = Rule("extent-not-expanded", section="2.6")
