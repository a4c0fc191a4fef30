from __future__ import annotations

from snd_analysis.base import Rule

UPDATE_TYPE = Rule("update-type", section="2.11")
