from __future__ import annotations

from snd_analysis.base.rule import Rule

MISSING_OUTPUT = Rule("missing-output", section="2.2")
