from __future__ import annotations

from snd_analysis.base import Rule

ARGUMENT_SHAPE = Rule("argument-shape", section="2.6")
