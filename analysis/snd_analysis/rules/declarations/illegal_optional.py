from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_OPTIONAL = Rule("illegal-optional", section="2.6")
