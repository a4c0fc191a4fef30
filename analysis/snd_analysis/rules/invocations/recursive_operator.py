from __future__ import annotations

from snd_analysis.base import Rule

RECURSIVE_OPERATOR = Rule("recursive-operator", section="LANGUAGE")
