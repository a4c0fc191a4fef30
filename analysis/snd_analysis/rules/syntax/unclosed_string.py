from __future__ import annotations

from snd_analysis.base import Rule

UNCLOSED_STRING = Rule("unclosed-string", section="2.4")
