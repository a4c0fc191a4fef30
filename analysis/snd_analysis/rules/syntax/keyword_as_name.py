from __future__ import annotations

from snd_analysis.base import Rule

KEYWORD_AS_NAME = Rule("keyword-as-name", section="2.16")
