from __future__ import annotations

from snd_analysis.base.rule import Rule

ARGUMENT_COUNT = Rule("argument-count", section="2.4")
