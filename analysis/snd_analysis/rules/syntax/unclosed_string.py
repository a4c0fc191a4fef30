from __future__ import annotations

from snd_analysis.base.rule import Rule

UNCLOSED_STRING = Rule("unclosed-string", section="2.4")
