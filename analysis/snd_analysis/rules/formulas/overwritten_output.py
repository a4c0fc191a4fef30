from __future__ import annotations

from snd_analysis.base import Rule

OVERWRITTEN_OUTPUT = Rule("overwritten-output", section="2.12")
