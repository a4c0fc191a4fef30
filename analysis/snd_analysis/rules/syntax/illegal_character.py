from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_CHARACTER = Rule("illegal-character", section="2.4")
