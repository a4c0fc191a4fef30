from __future__ import annotations

from snd_analysis.base import Rule

PRIVATE_OPERATOR = Rule("private-operator", section="LANGUAGE")
