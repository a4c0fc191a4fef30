from __future__ import annotations

from snd_analysis.base.rule import Rule

KEYWORD_AS_NAME = Rule("keyword-as-name", section="2.16")
