from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_ASSIGNMENT = Rule("illegal-assignment", section="2.11")
