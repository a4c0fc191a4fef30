from __future__ import annotations

from snd_analysis.base.rule import Rule

MISSING_ARGUMENT = Rule("missing-argument", section="2.10")
