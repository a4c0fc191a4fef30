from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_RANK = Rule("argument-rank", section="2.6")
