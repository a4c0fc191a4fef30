from __future__ import annotations

from snd_analysis.base import Rule

ASSIGNED_TWICE = Rule("assigned-twice", section="2.10")
