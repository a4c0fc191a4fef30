from __future__ import annotations

from snd_analysis.base.rule import Rule

TWO_CONDITIONS = Rule("two-conditions", section="2.10.1")
