from __future__ import annotations

from snd_analysis.base import Rule

ENDLESS_LOOP = Rule("endless-loop", section="2.10.1")
