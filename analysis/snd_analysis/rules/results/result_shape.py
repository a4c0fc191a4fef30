from __future__ import annotations

from snd_analysis.base.rule import Rule

RESULT_SHAPE = Rule("result-shape", section="2.10")
