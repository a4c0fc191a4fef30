from __future__ import annotations

from snd_analysis.base import Rule

UNKNOWN_OPERATOR = Rule("unknown-operator", section="2.10")
