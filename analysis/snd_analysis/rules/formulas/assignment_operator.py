from __future__ import annotations

from snd_analysis.base import Rule

ASSIGNMENT_OPERATOR = Rule("assignment-operator", section="2.12")
