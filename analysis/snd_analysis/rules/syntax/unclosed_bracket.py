from __future__ import annotations

from snd_analysis.base import Rule

UNCLOSED_BRACKET = Rule("unclosed-bracket", section="2.16")
