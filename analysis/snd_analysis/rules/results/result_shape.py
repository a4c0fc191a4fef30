from __future__ import annotations

from snd_analysis.base import Rule

RESULT_SHAPE = Rule("result-shape", section="2.10")
