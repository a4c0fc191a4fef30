from __future__ import annotations

from snd_analysis.base.rule import Rule

ASSIGNED_TWICE = Rule("assigned-twice", section="2.10")
