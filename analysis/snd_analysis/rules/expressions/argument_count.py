from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_COUNT = Rule("argument-count", section="2.4")
