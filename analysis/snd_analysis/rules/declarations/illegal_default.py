from __future__ import annotations

from snd_analysis.base import Rule

ILLEGAL_DEFAULT = Rule("illegal-default", section="2.6")
