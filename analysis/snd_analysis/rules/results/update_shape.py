from __future__ import annotations

from snd_analysis.base import Rule

UPDATE_SHAPE = Rule("update-shape", section="2.11")
